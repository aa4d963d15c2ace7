// Twenty ways in which a delivery can lack, repeat, delay or spoil rows. Each is a function of the random numbers alone.

import type { RawTable } from '../../../../../jobs/define/raw-table.ts';
import { type FileRow, linesOf } from '../../../../support/file-world.ts';
import { DAY } from './family-inputs.ts';

/** File name -> its text. */
export type Files = ReadonlyMap<string, string>;

export interface Delivered {
  readonly files: Files;
  /** Delivered with the second run. */
  readonly late?: Files;
  /** Rows that are missing, spoilt or late. */
  readonly touched: readonly FileRow[];
}

export interface Table {
  readonly raw: RawTable;
  readonly rows: readonly FileRow[];
}

type Random = () => number;
type Mutation = (table: Table, random: Random) => Delivered;

export const timeOf = ({ raw }: Table, row: FileRow): number => {
  const given = row[raw.time] ?? row['voted_at'] ?? row['day_at'] ?? row['block_time'];
  const value = Number(given);
  return value > 1e12 ? Math.floor(value / 1e9) : value;
};
const dayName = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 10)}.ndjson`;

/** One file per day. */
export const filesOf = (table: Table, rows: readonly FileRow[] = table.rows): Files =>
  new Map(
    [...Map.groupBy(rows, (row) => dayName(timeOf(table, row)))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => [name, linesOf(own)]),
  );

const pick = <T>(list: readonly T[], random: Random): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

const text = (row: FileRow, ...names: readonly string[]): string =>
  String(names.map((name) => row[name]).find((value) => value !== undefined) ?? '').toLowerCase();

/** Fields of subjects that landing computes from what is delivered. */
const COMPUTED: { readonly [field: string]: (row: FileRow) => string } = {
  name: (row) => text(row, 'protocol').replaceAll(' ', ''),
  entity: (row) =>
    [text(row, 'chain'), text(row, 'protocol'), text(row, 'pool_id', 'entity_id', 'market_id')].join('|'),
  opportunity_id: (row) => [text(row, 'chain_name'), text(row, 'project'), text(row, 'pool_id')].join('/'),
  venue: (row) => text(row, 'project'),
  node: (row) =>
    row['symbol'] === undefined
      ? ['vault', text(row, 'chain'), text(row, 'vault_address')].join(':')
      : `asset:${text(row, 'symbol').toUpperCase()}`,
};

/** The subject of a row, as its kept row names it. */
export const subjectOf = ({ raw }: Pick<Table, 'raw'>, row: FileRow): string =>
  raw.subject
    .map((field) => (row[field] === undefined ? (COMPUTED[field]?.(row) ?? '') : String(row[field])))
    .join(' ');

const without = (table: Table, isGone: (row: FileRow, at: number) => boolean): Delivered => {
  const touched = table.rows.filter(isGone);
  return {
    files: filesOf(
      table,
      table.rows.filter((row, index) => !isGone(row, index)),
    ),
    touched,
  };
};

const delayed = (table: Table, isLate: (row: FileRow) => boolean): Delivered => {
  const late = table.rows.filter(isLate);
  const files = filesOf(
    table,
    table.rows.filter((row) => !isLate(row)),
  );
  return { files, late: new Map([['late.ndjson', linesOf(late)]]), touched: late };
};

const spoilt = (table: Table, isBad: (row: FileRow) => boolean): Delivered => ({
  // By the day of the row before: where nothing else can be spoilt, it is the time.
  files: new Map(
    [...filesOf(table).keys()].map((name) => {
      const own = table.rows.filter((row) => dayName(timeOf(table, row)) === name);
      const spoiltRows = own.map((row) => (isBad(row) ? { ...row, [spoiltField(table)]: 'spoilt' } : row));
      return [name, linesOf(spoiltRows)];
    }),
  ),
  touched: table.rows.filter(isBad),
});
/** A required field that is part of neither the subject nor the time. */
const spoiltField = ({ raw, rows: [row = {}] }: Table): string => {
  const fits = raw.fields.filter(
    ({ name, type }) =>
      name in row &&
      name !== raw.time &&
      !name.endsWith('_at') &&
      !raw.subject.includes(name) &&
      type !== 'VARCHAR',
  );
  return (fits.find(({ required }) => required) ?? fits[0])?.name ?? raw.time;
};

const changeFile = (
  table: Table,
  random: Random,
  change: (text: string, random: Random) => string,
): Delivered => {
  const files = new Map(filesOf(table));
  const name = pick([...files.keys()], random);
  const before = files.get(name) ?? '';
  const after = change(before, random);
  const left = new Set(after.split('\n'));
  const touched = before
    .split('\n')
    .filter((line) => line !== '' && !left.has(line))
    .map((line) => JSON.parse(line) as FileRow);
  files.set(name, after);
  return { files, touched };
};

const lineCut = (text: string, random: Random) => {
  const lines = text.trimEnd().split('\n');
  const kept = lines.slice(0, Math.floor(random() * lines.length));
  return kept.map((line) => `${line}\n`).join('');
};

const removeFiles = (table: Table, choose: (names: readonly string[]) => readonly string[]): Delivered => {
  const gone = new Set(choose([...filesOf(table).keys()]));
  return without(table, (row) => gone.has(dayName(timeOf(table, row))));
};

const shuffled = (lines: readonly string[], random: Random) =>
  lines
    .map((line) => ({ line, index: random() }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ line }) => line);

export const MUTATIONS: { readonly [name: string]: Mutation } = {
  'one row is missing': (table, random) => {
    const gone = pick(table.rows, random);
    return without(table, (row) => row === gone);
  },
  'a twentieth of the rows is missing': (table, random) => {
    const forced = pick(table.rows, random);
    return without(table, (row) => row === forced || random() < 0.05);
  },
  'rows that follow each other are missing': (table, random) => {
    const from = Math.floor(random() * table.rows.length);
    const count = 1 + Math.floor(random() * Math.min(20, table.rows.length / 4));
    return without(table, (_row, at) => at >= from && at < from + count);
  },
  'every row of one subject is missing': (table, random) => {
    const subject = subjectOf(table, pick(table.rows, random));
    return without(table, (row) => subjectOf(table, row) === subject);
  },
  'one day of one subject is missing': (table, random) => {
    const one = pick(table.rows, random);
    const day = Math.floor(timeOf(table, one) / DAY);
    const subject = subjectOf(table, one);
    return without(
      table,
      (row) => Math.floor(timeOf(table, row) / DAY) === day && subjectOf(table, row) === subject,
    );
  },
  'the end of one subject is missing': (table, random) => {
    const one = pick(table.rows, random);
    const subject = subjectOf(table, one);
    return without(
      table,
      (row) => subjectOf(table, row) === subject && timeOf(table, row) >= timeOf(table, one),
    );
  },
  'the beginning of one subject is missing': (table, random) => {
    const one = pick(table.rows, random);
    const subject = subjectOf(table, one);
    return without(
      table,
      (row) => subjectOf(table, row) === subject && timeOf(table, row) <= timeOf(table, one),
    );
  },
  'one file is missing': (table, random) => removeFiles(table, (names) => [pick(names, random)]),
  'the newest files are missing': (table, random) =>
    removeFiles(table, (names) => names.slice(-1 - Math.floor(random() * 3))),
  'the oldest files are missing': (table, random) =>
    removeFiles(table, (names) => names.slice(0, 1 + Math.floor(random() * 3))),
  'the whole source is missing': (table) => without(table, () => true),
  'a file is cut inside a record': (table, random) =>
    changeFile(table, random, (text) => text.slice(0, Math.floor(text.length * random()))),
  'a file is cut after a record': (table, random) => changeFile(table, random, lineCut),
  'a file is empty': (table, random) => changeFile(table, random, () => ''),
  'one row comes twice': (table, random) =>
    changeFile(table, random, (text) => `${text}${pick(text.trimEnd().split('\n'), random)}\n`),
  'a file comes twice': (table, random) => {
    const files = filesOf(table);
    const name = pick([...files.keys()], random);
    return { files: new Map([...files, [`copy-${name}`, files.get(name) ?? '']]), touched: [] };
  },
  'rows come twice and in no order': (table, random) =>
    changeFile(table, random, (text) => {
      const lines = text.trimEnd().split('\n');
      const twice = lines.filter(() => random() < 0.3);
      return shuffled([...lines, ...twice], random)
        .map((line) => `${line}\n`)
        .join('');
    }),
  'some rows come late': (table, random) => {
    const forced = pick(table.rows, random);
    const late = new Set(table.rows.filter((row) => row === forced || random() < 0.1));
    return delayed(table, (row) => late.has(row));
  },
  'one row is spoilt': (table, random) => {
    const bad = pick(table.rows, random);
    return spoilt(table, (row) => row === bad);
  },
  'many rows of one subject are spoilt': (table, random) => {
    const one = pick(table.rows, random);
    const bad = new Set(
      table.rows.filter(
        (row) => row === one || (subjectOf(table, row) === subjectOf(table, one) && random() < 0.4),
      ),
    );
    return spoilt(table, (row) => bad.has(row));
  },
};

/** After these nothing is missing, so what is published must be unchanged. */
export const HARMLESS: ReadonlySet<string> = new Set([
  'one row comes twice',
  'a file comes twice',
  'rows come twice and in no order',
  'some rows come late',
]);
