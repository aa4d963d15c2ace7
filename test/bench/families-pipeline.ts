// The pipeline of the families' benchmark: a real pipeline of one domain in a folder of its own, filled day by day with generated rows.
import { join } from 'node:path';
import { DAY_S } from '../../platform/base/time.ts';
import type { Domain } from '../../jobs/define/domain.ts';
import { sources } from '../../jobs/families/sources/domain.ts';
import { deliveredFields, type RawTable } from '../../jobs/define/raw-table.ts';
import type { Delivery, SourceFacts } from '../../jobs/define/source.ts';
import { materialize } from '../../jobs/engine/materialize.ts';
import { type Parameters, renderParameters } from '../../jobs/engine/parameters.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { runAudits } from '../../jobs/pipeline/gate/audit.ts';
import { readDocuments } from '../../jobs/pipeline/publish/documents.ts';
import { absorbLanded } from '../../jobs/pipeline/run/compute.ts';
import { duckDbOf } from '../support/duckdb-of.ts';
import { openTestWorld, testFolder } from '../support/pipeline-world.ts';
import { withEvents } from '../support/with-events.ts';

/** 00:00 UTC of the very first generated day. */
export const FIRST_DAY = Date.UTC(2026, 0, 5) / 1000;

export interface Family {
  readonly name: string;
  readonly domain: Domain;
  /** Raw table whose rows are counted, and the name of its rows in the report. */
  readonly table: string;
  readonly rows: string;
  /** Rows of a day for each raw table, as SQL for the fields that a source delivers and that landing computes; `day` counts from 0. */
  day(day: number, rows: number): readonly (readonly [table: string, sql: string])[];
  /** The same rows scanned and aggregated by the engine alone; takes @start and @end. */
  readonly bare: string;
}

export interface BenchPipeline {
  readonly family: Family;
  readonly world: PipelineContext;
  readonly dir: string;
  close(): Promise<void>;
}

/** The process needs as much again in addition to the engine's own memory. */
const MEMORY_LIMIT = '2GB';
const LATE = FIRST_DAY + 400 * DAY_S;
const FACTS: SourceFacts = {
  id: 'bench',
  kind: 'simulated',
  name: 'Bench',
  url: null,
  chain: null,
  license: null,
};

export async function openBenchPipeline(family: Family, threads = 0): Promise<BenchPipeline> {
  const { dir, remove } = testFolder();
  const flags = ['--duckdb-memory-limit', MEMORY_LIMIT, '--duckdb-threads', String(threads)];
  const { context: world, close } = await openTestWorld(dir, {
    flags,
    now: LATE,
    domains: withEvents([sources, family.domain]),
  });
  const closeBoth = async () => {
    await close();
    remove();
  };
  return { family, world, dir, close: closeBoth };
}

const rawTable = ({ family }: BenchPipeline, name: string): RawTable => {
  const table = family.domain.raw.find((raw) => raw.name === name);
  if (table === undefined) throw new Error(`there is no raw table ${name}`);
  return table;
};

/** Absorbs days into the warehouse as if their rows had landed, without landing them. */
export async function fillDays(pipeline: BenchPipeline, days: number, rowsADay: number): Promise<void> {
  const { models } = pipeline.world;
  const db = duckDbOf(pipeline.world);
  for (let day = 0; day < days; day += 1)
    for (const [name, sql] of pipeline.family.day(day, rowsADay)) {
      const model = models.models.find((one) => one.name === rawTable(pipeline, name).observations.model);
      if (model === undefined) throw new Error(`no model keeps ${name}`);
      await db.execute(
        `create or replace view landing.${name} as select *, 'bench' as source_id, 0 as fetched_at from (${sql})`,
      );
      await db.execute(`insert into ${model.name} select * from (${model.sql}\n) order by ${model.order}`);
    }
  await db.checkpoint();
}

/** Lands a delivery and absorbs it into the warehouse. Resolves to the number of rows. */
export async function land(pipeline: BenchPipeline, name: string, delivery: Delivery): Promise<number> {
  const context = { interval: { from: -1, to: LATE }, fetchedAt: LATE };
  const { ingest } = pipeline.world;
  const { rows_in, rows_landed } = await ingest.land(rawTable(pipeline, name), FACTS, delivery, context);
  if (rows_landed !== rows_in) throw new Error(`${name}: ${rows_landed} of ${rows_in} rows landed`);
  return absorbLanded({ ...pipeline.world, landing: ingest });
}

/** A day's rows as a Parquet file that a source might deliver. */
export async function parquetOf(pipeline: BenchPipeline, name: string, sql: string): Promise<Delivery> {
  const path = join(pipeline.dir, `${name}.parquet`);
  await duckDbOf(pipeline.world).execute(`copy (${sql}) to '${path}' (format parquet)`);
  const columns = await duckDbOf(pipeline.world).rows(`describe select * from '${path}'`);
  const names = new Set(columns.map((row) => row['column_name']));
  const given = deliveredFields(rawTable(pipeline, name)).filter((field) => names.has(field.name));
  const fields = Object.fromEntries(given.map((field) => [field.name, { from: field.name }]));
  return { kind: 'file', path, format: 'parquet', fields };
}

/** The window of `count` days from `from` on, at the end of the last one. */
export const daysFrom = (from: number, count: number): Parameters => {
  const end = FIRST_DAY + (from + count) * DAY_S;
  return { start: FIRST_DAY + from * DAY_S, end, now: end - 1 };
};

/** Everything that a run does between absorbing and writing files: models, audits, documents. */
export async function compute({ world, family }: BenchPipeline, window: Parameters): Promise<void> {
  for (const model of world.models.models)
    if (model.kind !== 'append') await materialize(world.warehouse, model, window);
  await runAudits(world.warehouse, world.models.audits, window);
  for (const dataset of family.domain.datasets) {
    const { unfit } = await readDocuments(world.warehouse, dataset);
    if (unfit.length > 0) throw new Error(`${dataset.id}: ${JSON.stringify(unfit[0])}`);
  }
}

export const scanBare = ({ world, family }: BenchPipeline, window: Parameters) =>
  duckDbOf(world).execute(`create or replace temp table scanned as ${renderParameters(family.bare, window)}`);

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
