// A thousand vaults: how long it takes to compute their family again from what has landed, with the time of each model; what they and the
// oracle paths of a thousand markets add to a tick; how fast they are served. BENCH_VAULTS and BENCH_DAYS set the size (1,000 and 30), and
// BENCH_PARTS what is measured (`rebuild,tick,serve`). A year is 365 days of 24,000 states and 192,000 positions.
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import type { RawTable } from '../../jobs/define/raw-table.ts';
import { materialize } from '../../jobs/engine/materialize.ts';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { duckDbOf } from '../support/duckdb-of.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import type { BenchReport } from './report.ts';
import { measureServing } from './vault-serve.ts';
import { measureTick } from './vault-tick.ts';
import {
  landedPositions,
  landedStates,
  lendingVaults,
  marketStates,
  type Readings,
  type VaultWorld,
} from './vault-rows.ts';

const FIRST_DAY = Date.UTC(2025, 0, 6) / 1000;
const POSITIONS = 8;
const KIB_A_GIB = 1024 * 1024;
const FAMILIES = /families\/(vaults|oracle-paths)\//;

type BenchPart = Pick<BenchReport, 'figures' | 'ratios'>;

export async function bench(): Promise<BenchReport> {
  const vaults = Number(process.env['BENCH_VAULTS'] ?? 1_000);
  const days = Number(process.env['BENCH_DAYS'] ?? 30);
  const wanted = (process.env['BENCH_PARTS'] ?? 'rebuild,tick,serve').split(',');
  const world: VaultWorld = { vaults, positions: POSITIONS, markets: vaults, from: FIRST_DAY };
  const parts: BenchPart[] = [];
  if (wanted.includes('tick')) parts.push(await measureTick(world));
  if (wanted.includes('serve')) parts.push(await measureServing(world));
  if (wanted.includes('rebuild')) parts.push(await measureRebuild(world, days));
  return {
    name: 'vaults',
    figures: Object.assign(
      { vaults, positions: vaults * POSITIONS, days },
      ...parts.map(({ figures }) => figures),
    ),
    ratios: parts.flatMap(({ ratios }) => ratios),
  };
}

/** Computes every model of the family over the whole history at once, as a rebuild does. */
async function measureRebuild(world: VaultWorld, days: number): Promise<BenchPart> {
  const end = FIRST_DAY + days * DAY_S;
  const { dir, remove } = testFolder();
  const flags = ['--duckdb-memory-limit', '512MB', '--duckdb-threads', '2'];
  const { context, close } = await openTestWorld(dir, { flags, now: end });
  try {
    const filledMs = await timed(() => fillYear(context, world, days));
    await duckDbOf(context).checkpoint();
    const before = process.cpuUsage();
    const times = await timesOf(context, { start: FIRST_DAY, end, now: end - 1 });
    const { user, system } = process.cpuUsage(before);
    const total = (of: (cost: Cost) => number) => times.reduce((sum, [, cost]) => sum + of(cost), 0);
    return {
      figures: {
        filled_s: filledMs / 1000,
        all_models_cpu_s: (user + system) / 1e6,
        family_cpu_s: total(({ cpuMs }) => cpuMs) / 1000,
        peak_rss_gib: process.resourceUsage().maxRSS / KIB_A_GIB,
        ...Object.fromEntries(times.slice(0, 12).map(([name, { cpuMs }]) => [`${name}_cpu_ms`, cpuMs])),
      },
      ratios: [
        {
          label: `s to compute a year of ${world.vaults} vaults again, at the rate of ${days} days`,
          value: (total(({ ms }) => ms) / 1000) * (365 / days),
          goal: '≤ 60',
        },
        {
          label: 'peak memory of the whole process, GiB',
          value: process.resourceUsage().maxRSS / KIB_A_GIB,
          goal: '≤ 1',
        },
      ],
    };
  } finally {
    await close();
    remove();
  }
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Computes all models. What each model of the family costs, most CPU time first. */
async function timesOf(
  context: PipelineContext,
  window: Parameters,
): Promise<readonly (readonly [string, Cost])[]> {
  const times: (readonly [string, Cost])[] = [];
  for (const model of context.models.models) {
    if (model.kind === 'append') continue;
    const before = process.cpuUsage();
    const ms = await timed(() => materialize(context.warehouse, model, window));
    const { user, system } = process.cpuUsage(before);
    if (FAMILIES.test(model.file)) times.push([model.name, { ms, cpuMs: (user + system) / 1000 }]);
  }
  return times.sort(([, left], [, right]) => right.cpuMs - left.cpuMs);
}

/** Absorbs days as if their rows had landed. */
async function fillYear(context: PipelineContext, world: VaultWorld, days: number): Promise<void> {
  await absorb(context, 'lending_vault', lendingVaults(world));
  for (let day = 0; day < days; day += 1) {
    const from = world.from + day * DAY_S;
    const readings: Readings = { from, to: from + DAY_S, step: HOUR_S };
    await absorb(context, 'vault_state', landedStates(world, readings));
    await absorb(context, 'vault_position', landedPositions(world, readings));
    await absorb(context, 'market_state', marketStates(world, readings));
  }
}

async function absorb(context: PipelineContext, name: string, sql: string): Promise<void> {
  const db = duckDbOf(context);
  const model = context.models.models.find((one) => one.name === `obs.${name}`);
  if (model === undefined) throw new Error(`there is no model obs.${name}`);
  const given = new Set((await db.rows(`describe ${sql}`)).map((row) => row['column_name']));
  const missing = rawTable(context, name).fields.filter((field) => !given.has(field.name));
  const nulls = missing.map((field) => `cast(null as ${field.type}) as ${field.name}`);
  const columns = ['*', "'bench' as source_id", '0 as fetched_at', ...nulls].join(', ');
  await db.execute(`create or replace view landing.${name} as select ${columns} from (${sql}) given`);
  await db.execute(`insert into ${model.name} select * from (${model.sql}\n) order by ${model.order}`);
}

function rawTable({ domains }: PipelineContext, name: string): RawTable {
  const table = domains.flatMap(({ raw }) => raw).find((raw) => raw.name === name);
  if (table === undefined) throw new Error(`there is no raw table ${name}`);
  return table;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
