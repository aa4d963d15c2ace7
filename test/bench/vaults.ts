// A thousand vaults: how long it takes to compute their family again from what has landed, with the time of each model; what they and the
// oracle paths of a thousand markets add to a tick; how fast they are served. BENCH_VAULTS and BENCH_DAYS set the size (1,000 and 30), and
// BENCH_PARTS what is measured (`rebuild,tick,serve`). A year is 365 days of 24,000 states and 192,000 positions.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import type { RawTable } from '../../jobs/define/raw-table.ts';
import { NO_TIME, type Parameters } from '../../jobs/engine/parameters.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { computeModels } from '../../jobs/pipeline/run/compute.ts';
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

/** Absorbs the whole history and computes every model of the family over it, as a rebuild does. BENCH_STRETCH_ROWS: rows of a stretch. */
async function measureRebuild(world: VaultWorld, days: number): Promise<BenchPart> {
  const end = FIRST_DAY + days * DAY_S;
  const { dir, remove } = testFolder();
  const flags = ['--duckdb-memory-limit', '512MB', '--duckdb-threads', '2'];
  const { context, close } = await openTestWorld(dir, { flags, now: end });
  try {
    const files = await writeDays(context, world, { dir, days });
    const temporary = largestSize(join(dir, 'tmp'));
    const absorbed = await costOf(() => absorbDays(context, files));
    const peakAbsorbing = peakRssGiB();
    await duckDbOf(context).checkpoint();
    const window = { start: FIRST_DAY, end, now: end - 1 };
    const [times, computed] = await timesOf({ ...context, ...STRETCHES }, window);
    const total = (of: (cost: Cost) => number) => times.reduce((sum, [, cost]) => sum + of(cost), 0);
    return {
      figures: {
        absorbing_cpu_s: absorbed.cpuMs / 1000,
        all_models_cpu_s: computed.cpuMs / 1000,
        family_cpu_s: total(({ cpuMs }) => cpuMs) / 1000,
        peak_rss_absorbing_gib: peakAbsorbing,
        peak_rss_gib: peakRssGiB(),
        temporary_files_gib: temporary.stop() / 1024 ** 3,
        ...Object.fromEntries(times.slice(0, 12).map(([name, { cpuMs }]) => [`${name}_cpu_ms`, cpuMs])),
      },
      ratios: [
        {
          label: `s to compute a year of ${world.vaults} vaults again, at the rate of ${days} days`,
          value: (total(({ ms }) => ms) / 1000) * (365 / days),
          goal: '≤ 60',
        },
        { label: 'peak memory of the whole process, GiB', value: peakRssGiB(), goal: '≤ 1' },
      ],
    };
  } finally {
    await close();
    remove();
  }
}

/** Rows of a stretch, if they are not those of the pipeline. */
const STRETCH_ROWS = process.env['BENCH_STRETCH_ROWS'];
const STRETCHES = STRETCH_ROWS === undefined ? {} : { maxStretchRows: Number(STRETCH_ROWS) };

const peakRssGiB = (): number => process.resourceUsage().maxRSS / KIB_A_GIB;

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Computes all models. What each model of the family costs, most CPU time first, and what all models cost together. */
async function timesOf(
  context: PipelineContext,
  window: Parameters,
): Promise<readonly [readonly (readonly [string, Cost])[], Cost]> {
  const times: (readonly [string, Cost])[] = [];
  const all = await costOf(async () => {
    for (const model of context.models.models) {
      if (model.kind === 'append') continue;
      const cost = await costOf(() => computeModels(context, window, [model]));
      if (FAMILIES.test(model.file)) times.push([model.name, cost]);
    }
  });
  return [times.sort(([, left], [, right]) => right.cpuMs - left.cpuMs), all];
}

type Files = Map<string, { readonly path: string; readonly rows: number }[]>;

/** Writes days as they are in landing: a file for each table and day. */
async function writeDays(context: PipelineContext, world: VaultWorld, { dir, days }: Span): Promise<Files> {
  const files: Files = new Map();
  const write = async (table: string, sql: string) => {
    const path = join(dir, `${table}-${files.get(table)?.length ?? 0}.parquet`);
    const rows = await writeRows(context, { sql, path });
    files.set(table, [...(files.get(table) ?? []), { path, rows }]);
  };
  await write('lending_vault', lendingVaults(world));
  for (let day = 0; day < days; day += 1) {
    const from = world.from + day * DAY_S;
    const readings: Readings = { from, to: from + DAY_S, step: HOUR_S };
    await write('vault_state', landedStates(world, readings));
    await write('vault_position', landedPositions(world, readings));
    await write('market_state', marketStates(world, readings));
  }
  return files;
}

interface Span {
  readonly dir: string;
  readonly days: number;
}

function writeRows(
  context: PipelineContext,
  { sql, path }: { readonly sql: string; readonly path: string },
): Promise<number> {
  return duckDbOf(context).execute(
    `copy (select *, 'bench' as source_id, cast(0 as bigint) as fetched_at from (${sql}) given) to '${path}' (format parquet, compression zstd)`,
  );
}

/** Absorbs all files of a table at once, as a rebuild does. */
async function absorbDays(context: PipelineContext, files: Files): Promise<void> {
  for (const [table, landed] of files) {
    const model = context.models.models.find((one) => one.name === `obs.${table}`);
    if (model === undefined) throw new Error(`there is no model obs.${table}`);
    const rows = new Map(landed.map((file) => [file.path, file.rows]));
    await context.warehouse.absorb(model, {
      raw: rawTable(context, table),
      files: [...rows.keys()],
      parameters: NO_TIME,
      landing: { check: async () => {}, sha256Of: () => null, rowsOf: (file) => rows.get(file) ?? null },
    });
  }
}

/** Measures how large the files in a folder become, until it is stopped. */
function largestSize(folder: string): { stop(): number } {
  let largest = 0;
  const measure = () => {
    const files = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    const sizes = files.map(
      (file) => statSync(join(folder, file.name), { throwIfNoEntry: false })?.size ?? 0,
    );
    largest = Math.max(
      largest,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  const timer = setInterval(measure, 250);
  return {
    stop() {
      clearInterval(timer);
      return largest;
    },
  };
}

function rawTable({ domains }: PipelineContext, name: string): RawTable {
  const table = domains.flatMap(({ raw }) => raw).find((raw) => raw.name === name);
  if (table === undefined) throw new Error(`there is no raw table ${name}`);
  return table;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [startedMs, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}
