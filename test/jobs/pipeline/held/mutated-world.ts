// A small world of five families, one file per raw table and subject, and twenty ways in which a delivery can be wrong.
import { domains } from '../../../../jobs/registry.ts';
import { columnsOf } from '../../../../jobs/define/subject.ts';
import type { Document, Json, Manifest } from '../../../../snapshots/layout.ts';
import { type FileRow, linesOf, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { type LoggedEvent, publishedEvents, withoutIds } from '../../../support/pipeline-world.ts';

export const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

const DATASETS = [
  ...[
    'feeds',
    'pegs',
    'oracle-pairs',
    'oracle-parameters',
    'detector-state',
    'lending-markets',
    'exit-inputs',
  ],
  ...[
    'governance',
    'governance-figures',
    'pool-states',
    'anomaly-watch',
    'conditions',
    'coverage',
    'manifest-summary',
  ],
];
const DOMAINS = neededFor({ datasets: DATASETS, events: ['peg.', 'oracle.', 'liquidity.', 'risk.anomaly'] });

/** Raw table -> subject -> its rows. */
export type Deliveries = ReadonlyMap<string, ReadonlyMap<string, readonly FileRow[]>>;
export type Roll = () => number;

const SYMBOLS = ['USDC', 'DAI', 'USDT', 'FRAX'];
const MARKETS = ['0xm1', '0xm2', '0xm3'];
const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const bySubject = (names: readonly string[], rows: (name: string, index: number) => readonly FileRow[]) =>
  new Map(names.map((name, index) => [name, rows(name, index)]));

/** Some assets leave their peg, some markets fill up, some value is lost. */
export const soundWorld = (roll: Roll): Deliveries =>
  new Map([...feedTables(roll), ...marketRegistry(), ...marketStates(roll), ...otherTables(roll)]);

type Table = readonly [name: string, subjects: ReadonlyMap<string, readonly FileRow[]>];

const chain = 'ethereum';
const addressOf = (symbol: string) => `0x${symbol.toLowerCase()}`;

function feedTables(roll: Roll): readonly Table[] {
  return [
    [
      'feed_registry',
      bySubject(SYMBOLS, (base) => [
        {
          ...{ chain, provider: 'chainlink', feed_address: addressOf(base), name: base, base, quote: 'USD' },
          ...{ heartbeat_s: 3_600, deviation_bps: 25, decimals: 8, observed_at: NOW - 864_000 },
        },
      ]),
    ],
    [
      'feed_round',
      bySubject(SYMBOLS, (symbol) => {
        const turn = Math.floor(roll() * 120);
        return range(60).map((minute) => ({
          ...{ chain, feed_address: addressOf(symbol), round_id: String(100 + minute), decimals: 8 },
          answer: String(minute < turn ? 100_000_000 : 95_000_000),
          updated_at: NOW - 3_600 + minute * 60,
        }));
      }),
    ],
  ];
}

function marketRegistry(): readonly Table[] {
  return [
    [
      'lending_market',
      bySubject(MARKETS, (market_id, index) => [
        {
          ...{
            chain,
            market_id,
            protocol: 'aave',
            loan_symbol: SYMBOLS[index] ?? 'USDC',
            collateral_symbol: 'ETH',
          },
          observed_at: NOW - 864_000,
        },
      ]),
    ],
    [
      'market_oracle',
      bySubject(MARKETS, (market_id, index) => {
        const feed = addressOf(SYMBOLS[index] ?? 'USDC');
        return [
          {
            ...{ chain, market_id, oracle_address: '0xoracle', backing_address: feed, feed_address: feed },
            observed_at: NOW - 864_000,
          },
        ];
      }),
    ],
  ];
}

function marketStates(roll: Roll): readonly Table[] {
  return [
    [
      'market_state',
      bySubject(MARKETS, (market_id) => {
        const turn = Math.floor(roll() * 40);
        return range(24).map((hour) => ({
          ...{ chain, market_id, observed_at: NOW - 86_400 + hour * 3_600, supplied: 1e6, supplied_usd: 1e6 },
          ...(hour < turn
            ? { borrowed: 5e5, borrowed_usd: 5e5, withdrawable_usd: 5e5, depth_usd: 5e5 }
            : { borrowed: 1e6, borrowed_usd: 1e6, withdrawable_usd: 0, depth_usd: 0 }),
        }));
      }),
    ],
  ];
}

function otherTables(roll: Roll): readonly Table[] {
  return [
    [
      'amm_pool_state',
      bySubject(['0xp1', '0xp2'], (pool) =>
        range(5).map((minute) => ({
          ...{ chain, pool, observed_at: NOW - 600 + minute * 60, kind: 'product', fee_pips: 3_000 },
          ...{ symbols: 'USDC,ETH', decimals: '6,18', reserves: `${5_000_000 + minute},1` },
        })),
      ),
    ],
    [
      'tvl_reading',
      bySubject(['aave', 'lido'], (protocol) => {
        const turn = Math.floor(roll() * 40);
        return range(20).map((day) => ({
          ...{ chain, protocol, observed_at: NOW - 20 * 86_400 + day * 86_400 },
          tvl_usd: day < turn ? 1e9 + day * 1e6 : 5e8,
        }));
      }),
    ],
  ];
}

export interface Outcome {
  readonly code: number;
  readonly manifest: Manifest;
  readonly documents: ReadonlyMap<string, readonly Document[]>;
  readonly events: readonly Omit<LoggedEvent, 'value'>[];
  readonly subjectIds: readonly string[];
}

/** Raw table -> file name -> text. */
export type Files = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const filesOf = (world: Deliveries): Files =>
  new Map(
    [...world].map(([table, subjects]) => [
      table,
      new Map([...subjects].map(([subject, rows]) => [`${subject}.ndjson`, linesOf(rows)])),
    ]),
  );

export async function outcomeOf(files: Files): Promise<Outcome> {
  const world = openFileWorld({ domains: DOMAINS });
  try {
    for (const [table, texts] of files) world.write(table, Object.fromEntries(texts));
    const code = await world.run(NOW);
    const manifest = world.manifest();
    const ids = DATASETS.filter((id) => manifest.datasets[id] !== undefined);
    const events = publishedEvents(world.dir);
    return {
      code,
      manifest,
      documents: new Map(ids.map((id) => [id, world.documents(id)])),
      events: withoutIds(events),
      subjectIds: events.map(({ value }) => value.subject_id),
    };
  } finally {
    world.remove();
  }
}

export interface Mutation {
  readonly name: string;
  readonly of: (rows: readonly FileRow[], roll: Roll) => readonly FileRow[] | string;
}

/** Changes the numbers of a row, except times. */
const numbers = (change: (value: number) => Json) => (row: FileRow) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isMeasure = /answer|usd|supplied|borrowed|fee_pips/.test(name);
      return [name, isMeasure ? change(Number(value)) : value];
    }),
  );
const all = (change: (row: FileRow) => FileRow) => (rows: readonly FileRow[]) => rows.map(change);
const timeOf = (row: FileRow) => ('updated_at' in row ? 'updated_at' : 'observed_at');
const moved = (change: (at: number) => number) => (row: FileRow) => ({
  ...row,
  [timeOf(row)]: change(Number(row[timeOf(row)])),
});
const last = (rows: readonly FileRow[]) => rows.slice(-1);

export const MUTATIONS: readonly Mutation[] = [
  { name: 'other decimals', of: all((row) => ({ ...row, decimals: 'symbols' in row ? '18,6' : 6 })) },
  { name: 'zero', of: all(numbers(() => 0)) },
  { name: 'negative', of: all(numbers((value) => -value)) },
  { name: 'huge', of: all(numbers((value) => value * 1e12)) },
  { name: 'beyond all numbers', of: all(numbers(() => '1e400')) },
  { name: 'each row twice', of: (rows) => [...rows, ...rows] },
  {
    name: 'contradiction with itself',
    of: (rows) => [...rows, ...last(rows).map(numbers((value) => value * 3 + 1))],
  },
  { name: 'a missing row', of: (rows, roll) => rows.toSpliced(Math.floor(roll() * rows.length), 1) },
  { name: 'a missing column', of: all(({ observed_at: _observed, updated_at: _updated, ...row }) => row) },
  { name: 'a time in the future', of: all(moved((at) => at + 10 * 86_400)) },
  { name: 'milliseconds instead of seconds', of: all(moved((at) => at * 1_000)) },
  { name: 'no time', of: all(moved(() => 0)) },
  { name: 'swapped units', of: all(numbers((value) => value / 1e6)) },
  { name: 'another chain', of: all((row) => ({ ...row, chain: 'nowhere' })) },
  { name: 'an empty file', of: () => '' },
  { name: 'garbage', of: () => '{"chain":"ether\u0000\n<html>not found</html>\n[[[' },
  {
    name: 'shuffled',
    of: (rows, roll) =>
      rows
        .map((row) => ({ row, at: roll() }))
        .sort((a, b) => a.at - b.at)
        .map(({ row }) => row),
  },
  {
    name: 'many refused rows',
    of: (rows) => [
      ...rows,
      ...range(300).map((index) => ({
        ...numbers(() => 'unknown')(rows[0] ?? {}),
        [timeOf(rows[0] ?? {})]: NOW - 50_000 + index,
        ...('round_id' in (rows[0] ?? {}) && { round_id: String(5_000 + index) }),
      })),
    ],
  },
  {
    name: 'nothing in every field',
    of: all((row) => Object.fromEntries(Object.keys(row).map((name) => [name, null]))),
  },
  { name: 'text in every number', of: all(numbers(() => 'n/a')) },
  {
    name: 'odd letters',
    of: all((row) => ({ ...row, name: '\u202e|*{chain}\u0000"', loan_symbol: 'U|S*D', base: 'U|S*D' })),
  },
];

/** Subjects of a dataset's documents, written as manifests write them. */
export function subjectsIn(id: string, documents: readonly Document[]): readonly string[] {
  const dataset = domains.flatMap(({ datasets }) => [...datasets]).find((one) => one.id === id);
  if (dataset === undefined) throw new Error(`there is no dataset ${id}`);
  const columns = Object.values(columnsOf(dataset.subject));
  return documents.flatMap(({ key, value }) => {
    const parts = key.split(dataset.separator);
    const rows = (Array.isArray(value) ? value : [value]) as readonly FileRow[];
    return rows.map((row) =>
      columns
        .map((column) => (dataset.key.includes(column) ? parts[dataset.key.indexOf(column)] : row[column]))
        .join(' '),
    );
  });
}
