// The ways in which a delivery about one subject can be wrong, for any raw table.
import { deliveredFields, type RawField, type RawTable } from '../../../../jobs/define/raw-table.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { type FileRow, linesOf } from '../../../support/file-world.ts';
import { SECOND_RUN } from './demo-deliveries.ts';

/** Numbers from 0 to 1, 1 excluded. */
export type Roll = () => number;

export interface SpoiltDelivery {
  readonly own: readonly FileRow[] | string;
  /** What a second source of the same table delivers about the subject. */
  readonly second?: readonly FileRow[] | string;
}

interface Given {
  readonly rows: readonly FileRow[];
  readonly table: RawTable;
  readonly roll: Roll;
}

export interface Mutation {
  readonly name: string;
  /** The rows hold the same facts as before. */
  readonly isSame?: true;
  readonly of: (given: Given) => SpoiltDelivery;
}

const own = (rows: readonly FileRow[] | string): SpoiltDelivery => ({ own: rows });
const each =
  (change: (row: FileRow, table: RawTable) => FileRow): Mutation['of'] =>
  ({ rows, table }) =>
    own(rows.map((row) => change(row, table)));

const TIMES = /(?:_at|_time|_timestamp|_on)$/;
const NOT_MEASURED = /decimals|number|index|height|slot|genesis|version|_s$|is_/;

const isTime = ({ name }: RawField): boolean => TIMES.test(name);

/** Fields that hold an amount, a price or a count: no part of what names the row, and no instant. */
export const measuresOf = (table: RawTable): readonly RawField[] =>
  deliveredFields(table).filter(
    (field) =>
      (field.amount !== undefined || field.type === 'DOUBLE' || field.type === 'BIGINT') &&
      ![...table.subject, ...table.key, table.time].includes(field.name) &&
      !isTime(field) &&
      !NOT_MEASURED.test(field.name),
  );

const changed = (row: FileRow, fields: readonly RawField[], change: (value: Json) => Json): FileRow => ({
  ...row,
  ...Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = row[name];
      return value === undefined || value === null ? [] : [[name, change(value)]];
    }),
  ),
});

/** Changes each measure; an exact amount stays a text of digits. */
const measures =
  (change: (value: number) => Json) =>
  (row: FileRow, table: RawTable): FileRow =>
    changed(row, measuresOf(table), (value) => {
      const result = change(Number(value));
      return typeof value === 'string' && typeof result === 'number' ? digits(result) : result;
    });

const digits = (value: number): string => BigInt(Math.round(value)).toString();

const times = (change: (at: number) => Json) => (row: FileRow, table: RawTable) =>
  changed(row, deliveredFields(table).filter(isTime), (value) => change(Number(value)));

const otherDecimals = (row: FileRow): FileRow => {
  const { decimals } = row;
  if (typeof decimals === 'string' && decimals.includes(','))
    return { ...row, decimals: decimals.split(',').toReversed().join(',') };
  return 'decimals' in row ? { ...row, decimals: 6 } : row;
};

const withoutFirst =
  (isRequired: boolean) =>
  (row: FileRow, table: RawTable): FileRow => {
    const found = deliveredFields(table).find(
      ({ name, required }) =>
        (required === true) === isRequired && name in row && !table.subject.includes(name),
    );
    return Object.fromEntries(Object.entries(row).filter(([name]) => name !== found?.name));
  };

function swappedColumns(row: FileRow, table: RawTable): FileRow {
  const [first, second] = measuresOf(table).filter(
    ({ name }) => row[name] !== undefined && row[name] !== null,
  );
  if (first === undefined || second === undefined) return row;
  return { ...row, [first.name]: row[second.name] ?? null, [second.name]: row[first.name] ?? null };
}

/** The times of the rows in reverse, so that later numbers have earlier times. */
function outOfOrder({ rows, table }: Given): SpoiltDelivery {
  const fields = deliveredFields(table).filter(isTime);
  return own(
    rows.map((row, index) => {
      const other = rows[rows.length - 1 - index] ?? row;
      return { ...row, ...Object.fromEntries(fields.map(({ name }) => [name, other[name] ?? null])) };
    }),
  );
}

const otherName = (row: FileRow, table: RawTable): FileRow => {
  const field = deliveredFields(table).find(
    ({ name }) =>
      typeof row[name] === 'string' && ['chain', 'network', 'protocol', ...table.subject].includes(name),
  );
  return field === undefined ? row : { ...row, [field.name]: OTHER_NAME };
};

/** No subject of the sound world is called this. */
export const OTHER_NAME = 'nowhere';
export const ODD_TEXT = '\u202e|*{chain}"';

const oddTexts = (row: FileRow, { subject, key, ...table }: RawTable): FileRow =>
  changed(
    row,
    deliveredFields({ subject, key, ...table }).filter(
      ({ name, type, amount }) =>
        type === 'VARCHAR' &&
        amount === undefined &&
        ![...subject, ...key].includes(name) &&
        !(name in MEANINGFUL),
    ),
    () => ODD_TEXT,
  );
/** Lists of numbers. */
const MEANINGFUL = { decimals: true, reserves: true };

const REFUSED_ROWS = 300;
const MANY_STEPS_S = 50_000;

function manyRefused({ rows, table }: Given): SpoiltDelivery {
  const [first = {}] = rows;
  const spoilt = Array.from({ length: REFUSED_ROWS }, (_, index) => {
    const row = measures(() => 'unknown')(first, table);
    return {
      ...times(() => SECOND_RUN - MANY_STEPS_S + index)(row, table),
      ...numbered(first, table, index),
    };
  });
  return own([...rows, ...spoilt]);
}

/** Other values of the number that distinguishes the rows of a key. */
const numbered = (row: FileRow, { key, subject }: RawTable, index: number): FileRow =>
  Object.fromEntries(
    key
      .filter((name) => !subject.includes(name) && /id$|number$|hash$/.test(name) && name in row)
      .map((name) => [name, String(9_000 + index)]),
  );

const last = (rows: readonly FileRow[]): readonly FileRow[] => rows.slice(-1);

const others = (given: Given): readonly FileRow[] =>
  given.rows.map((row) => measures((value) => Math.round(value * 1.7) + 1)(row, given.table));

const cut = (text: string, roll: Roll): string =>
  text.slice(0, Math.floor(text.length * (0.3 + 0.6 * roll())));

const GARBAGE = '{"chain":"ether\u0000\n<html>not found</html>\n[[[';

export const MUTATIONS: readonly Mutation[] = [
  { name: 'other decimals', of: each(otherDecimals) },
  { name: 'another scale', of: each(measures((value) => value * 1e12)) },
  { name: 'swapped units', of: each(measures((value) => value / 1e6)) },
  { name: 'the opposite sign', of: each(measures((value) => -value)) },
  { name: 'minus one', of: each(measures(() => -1)) },
  { name: 'zero', of: each(measures(() => 0)) },
  { name: 'beyond all numbers', of: each(measures(() => '1e400')) },
  { name: 'text in every number', of: each(measures(() => 'n/a')) },
  {
    name: 'nothing in every field',
    of: each((row) => Object.fromEntries(Object.keys(row).map((name) => [name, null]))),
  },
  { name: 'a missing required field', of: each(withoutFirst(true)) },
  { name: 'a missing optional field', of: each(withoutFirst(false)) },
  { name: 'swapped columns', of: each(swappedColumns) },
  { name: 'a time in the future', of: each(times((at) => at + 10 * 86_400)) },
  { name: 'milliseconds instead of seconds', of: each(times((at) => at * 1_000)) },
  { name: 'no time', of: each(times(() => 0)) },
  { name: 'rows out of order', of: outOfOrder },
  { name: 'another chain or name', of: each(otherName) },
  { name: 'odd letters', of: each(oddTexts) },
  { name: 'a missing row', of: ({ rows, roll }) => own(rows.toSpliced(Math.floor(roll() * rows.length), 1)) },
  { name: 'each row twice', isSame: true, of: ({ rows }) => own([...rows, ...rows]) },
  {
    name: 'shuffled',
    isSame: true,
    of: ({ rows, roll }) =>
      own(
        rows
          .map((row) => ({ row, at: roll() }))
          .sort((a, b) => a.at - b.at)
          .map(({ row }) => row),
      ),
  },
  { name: 'contradiction with itself', of: (given) => own([...given.rows, ...last(others(given))]) },
  {
    name: 'two sources that contradict each other',
    of: (given) => ({ own: given.rows, second: others(given) }),
  },
  { name: 'one of two sources refused', of: ({ rows }) => ({ own: rows, second: GARBAGE }) },
  { name: 'a file that is cut off', of: ({ rows, roll }) => own(cut(linesOf(rows), roll)) },
  { name: 'an empty file', of: () => own('') },
  { name: 'garbage', of: () => own(GARBAGE) },
  { name: 'many refused rows', of: manyRefused },
];
