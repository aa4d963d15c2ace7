// What vaults and oracle paths add to a tick: two worlds with the same markets and feeds, of which one has vaults, their positions and the
// paths of all markets too. Their ticks take turns. Every source is read at each tick, as it is when readings are due.
import { join } from 'node:path';
import { HOUR_S } from '../../platform/base/time.ts';
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
import { type BenchReport, median } from './report.ts';
import {
  lendingVaults,
  marketStates,
  type Readings,
  vaultPositions,
  vaultStates,
  type VaultWorld,
} from './vault-rows.ts';

const READ_EVERY_S = 900;
const TICKS = Number(process.env['BENCH_TICKS'] ?? 5);
/** Hour of the day at which the ticks begin: every tick computes the day again. */
const HOUR = Number(process.env['BENCH_HOUR'] ?? 12);

type Rows = (world: VaultWorld, readings: Readings) => string;
interface TableRows {
  readonly table: string;
  readonly rows: Rows;
  /** Delivered once. */
  readonly isRegistry?: boolean;
}

const COMMON: readonly TableRows[] = [
  { table: 'feed_registry', rows: feedRegistry, isRegistry: true },
  { table: 'feed_round', rows: (_, readings) => feedRounds(readings) },
  { table: 'lending_market', rows: lendingMarkets, isRegistry: true },
  { table: 'market_state', rows: marketStates },
];
const VAULTS: readonly TableRows[] = [
  { table: 'lending_vault', rows: lendingVaults, isRegistry: true },
  { table: 'vault_state', rows: vaultStates },
  { table: 'vault_position', rows: vaultPositions },
  { table: 'oracle_price', rows: oraclePrices },
  { table: 'oracle_leg', rows: oracleLegs },
];

export async function measureTick(world: VaultWorld): Promise<Pick<BenchReport, 'figures' | 'ratios'>> {
  const sides = [await open(world, COMMON), await open(world, [...COMMON, ...VAULTS])] as const;
  try {
    for (let tick = 1; tick <= TICKS; tick += 1)
      for (const side of tick % 2 === 0 ? sides : sides.toReversed()) await side.tick(tick);
  } finally {
    for (const { close } of sides) await close();
  }
  const [without, all] = sides.map(({ times }) => median(times) / 1000) as [number, number];
  const [cpuWithout, cpuAll] = sides.map(({ cpu }) => median(cpu)) as [number, number];
  return {
    figures: {
      hour: HOUR,
      tick_without_s: without,
      tick_s: all,
      tick_without_cpu_s: cpuWithout,
      tick_cpu_s: cpuAll,
      ...Object.fromEntries(longest(sides[1].models).map(([name, ms]) => [`${name}_cpu_ms`, ms / TICKS])),
    },
    ratios: [
      { label: 'a tick with vaults and paths against one without', value: all / without, goal: '≤ 1.3' },
      { label: 'what they add to a tick, s', value: all - without, goal: '≤ 3' },
    ],
  };
}

const longest = (times: ReadonlyMap<string, number>) =>
  [...times].sort(([, left], [, right]) => right - left).slice(0, Number(process.env['BENCH_MODELS'] ?? 8));

/** A world that has run until HOUR of its first day. */
async function open(world: VaultWorld, tables: readonly TableRows[]) {
  const { dir, remove } = testFolder();
  const start = world.from + HOUR * HOUR_S;
  const clock = { now: start };
  const flags = ['--duckdb-memory-limit', '1GB', '--duckdb-threads', '2', '--demo-days', '2'];
  const { context, close } = await openTestWorld(dir, { flags, now: start, nowMs: () => clock.now * 1000 });
  const sources = [...context.sources, ...tables.map((rows) => sourceOf({ context, dir, world }, rows))];
  const models = new Map<string, number>();
  const runTo = async (from: number, to: number) => {
    clock.now = to;
    const warehouse = timedWarehouse(context.warehouse, models);
    const { problems } = await recordedRun({ ...context, warehouse, sources }, 'tick', {
      interval: { from, to },
      gather: true,
      detect: 'late_rows',
      publish: true,
    });
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };
  await runTo(-1, start);
  models.clear();
  const [times, cpu]: [number[], number[]] = [[], []];
  return {
    times,
    cpu,
    models,
    async tick(count: number) {
      const to = start + count * READ_EVERY_S;
      const [startedMs, before] = [performance.now(), process.cpuUsage()];
      await runTo(to - READ_EVERY_S, to);
      const { user, system } = process.cpuUsage(before);
      times.push(performance.now() - startedMs);
      cpu.push((user + system) / 1e6);
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
}

function sourceOf({ context, dir, world }: Place, { table, rows, isRegistry = false }: TableRows): Source {
  return {
    facts: { id: `bench-${table}`, kind: 'simulated', name: table, url: null, chain: null, license: null },
    table,
    async *deliveries({ from, to }: Interval) {
      if (isRegistry && from >= 0) return;
      const first = Math.max(world.from, (Math.floor(from / READ_EVERY_S) + 1) * READ_EVERY_S);
      const sql = rows(world, {
        from: table === 'feed_round' ? Math.max(world.from, from + 1) : first,
        to: to + 1,
        step: READ_EVERY_S,
      });
      yield await parquetOf({ context, dir, world }, table, sql);
    },
  };
}

async function parquetOf({ context, dir }: Place, table: string, sql: string): Promise<Delivery> {
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
