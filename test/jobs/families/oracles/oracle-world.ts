// A warehouse in memory for tests of the oracle models: takes feeds and rounds as plain rows, computes, detects, and walks time.
import { coverage } from '../../../../jobs/families/coverage/domain.ts';
import { policyTablesOf } from '../../../../jobs/define/domain.ts';
import type { RawTable } from '../../../../jobs/define/raw-table.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import { type Parameters, renderParameters } from '../../../../jobs/engine/parameters.ts';
import type { Row } from '../../../../jobs/engine/rows.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { type Candidate, detect, detectionWindow } from '../../../../jobs/pipeline/events/emit.ts';
import { runAudits } from '../../../../jobs/pipeline/gate/audit.ts';
import type { Model } from '../../../../jobs/pipeline/models/model.ts';
import { modelWindow } from '../../../../jobs/pipeline/run/plan.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../jobs/policies.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { modelsOf, openScratchEngine } from '../../../support/case-duckdb.ts';
import { computeIn, rowsOf } from '../../../support/computing.ts';
import { type Needs, neededFor } from '../../../support/needed-models.ts';
import { withEvents } from '../../../support/with-events.ts';

export interface FeedRow {
  readonly chain: string;
  readonly provider: string;
  readonly feed_address: string;
  readonly name: string;
  readonly base: string | null;
  readonly quote: string | null;
  readonly base_address: string | null;
  readonly source_kind: string | null;
  readonly pool_address: string | null;
  readonly min_answer: string | null;
  readonly max_answer: string | null;
  readonly reports_rounds: boolean | null;
  readonly category: string | null;
  readonly risk_level: string | null;
  readonly heartbeat_s: number | null;
  readonly deviation_bps: number | null;
  readonly decimals: number;
  readonly market_hours: string | null;
  readonly observed_at: number;
}

export interface RoundRow {
  readonly chain: string;
  readonly feed_address: string;
  readonly round_id: string;
  readonly answer: string;
  readonly decimals: number;
  readonly updated_at: number;
  readonly answered_in_round?: string;
  readonly block_number?: number;
}

/** What a pool of two coins held at one instant, in whole coins. */
export interface PoolRow {
  readonly chain: string;
  readonly pool: string;
  readonly observed_at: number;
  readonly kind: 'product' | 'stable';
  readonly symbols: readonly [string, string];
  readonly reserves: readonly [number, number];
}

const FEED: FeedRow = {
  chain: 'ethereum',
  provider: 'chainlink',
  feed_address: '0xf',
  name: 'AAA / USD',
  base: null,
  quote: null,
  base_address: null,
  source_kind: null,
  pool_address: null,
  min_answer: null,
  max_answer: null,
  reports_rounds: null,
  category: 'price',
  risk_level: 'low',
  heartbeat_s: 3600,
  deviation_bps: 50,
  decimals: 8,
  market_hours: null,
  observed_at: 0,
};

export const feedRow = (given: Partial<FeedRow>): FeedRow => ({ ...FEED, ...given });

export const roundRow = (given: Partial<RoundRow> & Pick<RoundRow, 'updated_at'>): RoundRow => ({
  chain: 'ethereum',
  feed_address: '0xf',
  round_id: String(given.updated_at),
  answer: '100000000',
  decimals: 8,
  ...given,
});

/** Oracles and what rests on them; other families have worlds of their own. */
const everything = withEvents([sources, oracles, pools, lending, coverage], 'oracle.', 'peg.');

export type OracleWorld = Awaited<ReturnType<typeof openOracleWorld>>;

/** These worlds have feeds and no lending markets, so feeds that back none are reported. */
const UNTRACKED_TOO: Policy = {
  ...DEFAULT_POLICY,
  oracle: { ...DEFAULT_POLICY.oracle, is_untracked_reported: true },
};

export interface OracleWorldOptions {
  readonly policy?: Policy;
  /** What is computed and detected: everything about feeds when left out. */
  readonly needs?: Needs;
}

/** Everything that was landed may be later than what is computed: models must not look at it. */
export async function openOracleWorld({ policy = UNTRACKED_TOO, needs }: OracleWorldOptions = {}) {
  const domains = needs === undefined ? everything : neededFor(needs, everything);
  const engine = await openScratchEngine();
  const set = await modelsOf(domains);
  const warehouse = new DuckDbWarehouse(engine);
  for (const table of policyTablesOf(domains)) await warehouse.bindPolicy(table, table.rows(policy));
  await warehouse.prepare({ models: set.models, raw: domains.flatMap((domain) => domain.raw) });
  const queries = set.events.flatMap(({ type, sql }) => {
    const detector = domains.flatMap((domain) => domain.detectors).find((one) => one.type === type);
    return detector === undefined ? [] : [{ detector, sql }];
  });
  return {
    ...landingOf(warehouse, { models: set.models, raw: domains.flatMap(({ raw }) => raw) }),
    /** Takes all rounds and feeds out again; what was computed goes too. */
    async clear() {
      const names = set.models.filter(({ kind }) => kind !== 'view').map(({ name }) => name);
      await engine.execute(names.map((name) => `delete from ${name}`).join('; '));
      await warehouse.versions.bump(names);
    },
    compute: (window: Parameters) => computeIn({ warehouse, models: set }, window),
    detect(from: number, to: number): Promise<readonly Candidate[]> {
      const window = detectionWindow({ from, to }, to);
      const rendered = queries.map((query) => ({ ...query, sql: renderParameters(query.sql, window) }));
      return detect(engine, rendered);
    },
    audit: (window: Parameters) => runAudits(engine, set.audits, window),
    engine,
    rows: (sql: string): Promise<readonly Row[]> => rowsOf(warehouse, sql),
    close: () => engine.close(),
  };
}

interface Landing {
  readonly models: readonly Model[];
  readonly raw: readonly RawTable[];
}

function landingOf({ db: engine, versions }: DuckDbWarehouse, { models, raw: tables }: Landing) {
  /** Lands the rows that a query answers, under the names of the raw table's fields. */
  const landQuery = async (raw: string, kept: string, query: string) => {
    const model = models.find(({ name }) => name === kept);
    if (model === undefined) throw new Error(`there is no model ${kept}`);
    const table = tables.find(({ name }) => name === raw);
    const nothing = table?.fields.map(({ name, type }) => `cast(null as ${type}) as ${name}`).join(', ');
    await engine.execute(`create or replace view landing.${raw} as
      select *, 'test' as source_id, cast(2000000000 as bigint) as fetched_at
      from (select ${nothing} where false union all by name select * from (${query}))`);
    const sql = renderParameters(model.sql, { start: 0, end: 0, now: 0 });
    await engine.execute(`insert into ${kept} select * from (${sql}) order by ${model.order}`);
    await versions.bump([kept]);
  };
  return {
    landQuery,
    landFeeds: (feeds: readonly FeedRow[]) =>
      landQuery('feed_registry', 'obs.feed_registry', valuesOf(feeds, FEED_TYPES)),
    landRounds: (rounds: readonly RoundRow[]) =>
      landQuery(
        'feed_round',
        'obs.feed_round',
        `select *, cast(answer as double) / power(10, decimals) as price from (${valuesOf(rounds, ROUND_TYPES)})`,
      ),
    landPools: (rows: readonly PoolRow[]) =>
      landQuery('amm_pool_state', 'obs.amm_pool_state', valuesOf(rows.map(poolState), POOL_TYPES)),
  };
}

const poolState = ({ symbols, reserves, ...pool }: PoolRow) => ({
  ...pool,
  fee_pips: 3_000,
  symbols_list: symbols.join(','),
  decimals_list: '0,0',
  reserves_list: reserves.join(','),
});

/** Walks logical time over the given instants and answers the log: what each step found that was not there before. */
export async function walk(
  world: OracleWorld,
  first: number,
  instants: readonly number[],
): Promise<readonly Candidate[]> {
  const log = new Map<string, Candidate>();
  let processedTo: number | null = null;
  for (const to of instants) {
    const window = modelWindow({ to, processedTo, dirtyFrom: processedTo === null ? first : null });
    if (window === null) throw new Error(`nothing to compute at ${to}`);
    await world.compute(window);
    for (const found of await world.detect(processedTo ?? -1, to)) {
      if (!log.has(found.key)) log.set(found.key, found);
    }
    processedTo = to;
  }
  return [...log.values()];
}

type Types<T> = { readonly [name in keyof T]-?: string };

const ROUND_TYPES: Types<RoundRow> = {
  chain: 'varchar',
  feed_address: 'varchar',
  round_id: 'varchar',
  answer: 'varchar',
  decimals: 'bigint',
  updated_at: 'bigint',
  answered_in_round: 'varchar',
  block_number: 'bigint',
};

const FEED_TYPES: Types<FeedRow> = {
  chain: 'varchar',
  provider: 'varchar',
  feed_address: 'varchar',
  name: 'varchar',
  base: 'varchar',
  quote: 'varchar',
  base_address: 'varchar',
  source_kind: 'varchar',
  pool_address: 'varchar',
  min_answer: 'varchar',
  max_answer: 'varchar',
  reports_rounds: 'boolean',
  category: 'varchar',
  risk_level: 'varchar',
  heartbeat_s: 'bigint',
  deviation_bps: 'double',
  decimals: 'bigint',
  market_hours: 'varchar',
  observed_at: 'bigint',
};

const POOL_TYPES = {
  chain: 'varchar',
  pool: 'varchar',
  observed_at: 'bigint',
  kind: 'varchar',
  fee_pips: 'bigint',
  symbols_list: 'varchar',
  decimals_list: 'varchar',
  reserves_list: 'varchar',
} as const;

function valuesOf<T extends object>(rows: readonly T[], types: Types<T>): string {
  const names = Object.keys(types) as (keyof T & string)[];
  const values = rows.map((row) => `(${names.map((name) => literal(row[name] ?? null)).join(', ')})`);
  const casts = names.map((name) => `cast(${name} as ${types[name]}) as ${name}`).join(', ');
  return `select ${casts} from (values ${values.join(', ')}) t(${names.join(', ')})`;
}

const literal = (value: unknown) =>
  value === null
    ? 'null'
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : `'${String(value).replaceAll("'", "''")}'`;
