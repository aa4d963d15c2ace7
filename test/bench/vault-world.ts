// A pipeline in a folder of its own with the markets, feeds, vaults and oracle paths of the benchmark of vaults, which land as a source would
// deliver them, from Parquet files.
import { join } from 'node:path';
import { deliveredFields } from '../../jobs/define/raw-table.ts';
import type { Delivery, Interval, Source } from '../../jobs/define/source.ts';
import type { ModelTable } from '../../jobs/engine/model.ts';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import type { Warehouse } from '../../jobs/engine/warehouse.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { recordedRun } from '../../jobs/pipeline/run/session.ts';
import { duckDbOf } from '../support/duckdb-of.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { feedRegistry, feedRounds, lendingMarkets, oracleLegs, oraclePrices } from './path-rows.ts';
import {
  lendingVaults,
  marketStates,
  type Readings,
  vaultPositions,
  vaultStates,
  type VaultWorld,
} from './vault-rows.ts';

type Rows = (world: VaultWorld, readings: Readings) => string;
export interface TableRows {
  readonly table: string;
  readonly rows: Rows;
  /** Delivered once. */
  readonly isRegistry?: boolean;
}

export const FEEDS: readonly TableRows[] = [
  { table: 'feed_registry', rows: feedRegistry, isRegistry: true },
  { table: 'feed_round', rows: (_, readings) => feedRounds(readings) },
];
export const MARKETS: readonly TableRows[] = [
  { table: 'lending_market', rows: lendingMarkets, isRegistry: true },
  { table: 'market_state', rows: marketStates },
];
export const VAULTS: readonly TableRows[] = [
  { table: 'lending_vault', rows: lendingVaults, isRegistry: true },
  { table: 'vault_state', rows: vaultStates },
  { table: 'vault_position', rows: vaultPositions },
];
export const PATHS: readonly TableRows[] = [
  { table: 'oracle_price', rows: oraclePrices },
  { table: 'oracle_leg', rows: oracleLegs },
];

export interface VaultPipeline {
  readonly dir: string;
  /** CPU time of each model since they were cleared, ms. */
  readonly models: Map<string, number>;
  /** Runs once, up to that second. */
  runTo(to: number): Promise<void>;
  close(): Promise<void>;
}

/** `step`: seconds between two readings. `opened_at`: when it starts, Unix seconds; the demo begins two days earlier. Nothing has run yet. */
export async function openVaultPipeline(
  world: VaultWorld,
  tables: readonly TableRows[],
  { step, opened_at }: { readonly step: number; readonly opened_at: number },
): Promise<VaultPipeline> {
  const { dir, remove } = testFolder();
  const clock = { now: opened_at };
  const flags = ['--duckdb-memory-limit', '1GB', '--duckdb-threads', '2', '--demo-days', '2'];
  const { context, close } = await openTestWorld(dir, {
    flags,
    now: opened_at,
    nowMs: () => clock.now * 1000,
  });
  const sources = [
    ...context.sources,
    ...tables.map((rows) => sourceOf({ context, dir, world, step }, rows)),
  ];
  const models = new Map<string, number>();
  const warehouse = timedWarehouse(context.warehouse, models);
  let from = -1;
  return {
    dir,
    models,
    async runTo(to) {
      clock.now = to;
      const options = { interval: { from, to }, gather: true, detect: 'late_rows', publish: true } as const;
      const { problems } = await recordedRun({ ...context, warehouse, sources }, 'tick', options);
      if (problems.length > 0) throw new Error(problems.join('\n'));
      from = to;
    },
    async close() {
      await close();
      remove();
    },
  };
}

/** The same warehouse; adds up the CPU time of each model, ms. */
function timedWarehouse(warehouse: Warehouse, times: Map<string, number>): Warehouse {
  return new Proxy(warehouse, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (typeof name !== 'string' || !WRITES.has(name)) return member.bind(target);
      return async (model: ModelTable, window: Parameters) => {
        const before = process.cpuUsage();
        const rows: unknown = await member.call(target, model, window);
        const { user, system } = process.cpuUsage(before);
        times.set(model.name, (times.get(model.name) ?? 0) + (user + system) / 1_000);
        return rows;
      };
    },
  });
}

const WRITES: ReadonlySet<string> = new Set(['rebuild', 'replace', 'merge']);

interface Place {
  readonly context: PipelineContext;
  readonly dir: string;
  readonly world: VaultWorld;
  readonly step: number;
}

function sourceOf(
  { context, dir, world, step }: Place,
  { table, rows, isRegistry = false }: TableRows,
): Source {
  return {
    facts: { id: `bench-${table}`, kind: 'simulated', name: table, url: null, chain: null, license: null },
    table,
    async *deliveries({ from, to }: Interval) {
      if (isRegistry && from >= 0) return;
      const first = Math.max(world.from, (Math.floor(from / step) + 1) * step);
      const sql = rows(world, {
        from: table === 'feed_round' ? Math.max(world.from, from + 1) : first,
        to: to + 1,
        step,
      });
      yield await parquetOf({ context, dir }, table, sql);
    },
  };
}

async function parquetOf(
  { context, dir }: Pick<Place, 'context' | 'dir'>,
  table: string,
  sql: string,
): Promise<Delivery> {
  const path = join(dir, `${table}.parquet`);
  const db = duckDbOf(context);
  await db.execute(`copy (${sql}) to '${path}' (format parquet)`);
  const given = new Set((await db.rows(`describe select * from '${path}'`)).map((row) => row['column_name']));
  const raw = context.domains.flatMap((domain) => domain.raw).find(({ name }) => name === table);
  if (raw === undefined) throw new Error(`there is no raw table ${table}`);
  const fields = deliveredFields(raw).filter(({ name }) => given.has(name));
  return {
    kind: 'file',
    path,
    format: 'parquet',
    fields: Object.fromEntries(fields.map(({ name }) => [name, { from: name }])),
  };
}
