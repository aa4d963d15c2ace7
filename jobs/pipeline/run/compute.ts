// Absorbs landed rows into the warehouse and recomputes the models that depend on them.
import { basename } from 'node:path';
import { LandingError } from '../../ingest/errors.ts';
import type { LandedFiles } from '../../ingest/receipts/read-landing.ts';
import { materialize } from '../../engine/materialize.ts';
import { NO_TIME, type Parameters } from '../../engine/parameters.ts';
import type { PipelineContext } from '../context.ts';
import { basisOf, type Computed, isComputed, readComputed, recordComputed } from '../models/computed.ts';
import type { Model } from '../models/model.ts';

export type AbsorbingContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains'> & {
  readonly landing: LandedFiles;
};

/** Adds every landed file that the warehouse does not have yet. Resolves to the number of rows added. */
export async function absorbLanded(context: AbsorbingContext): Promise<number> {
  let rows = 0;
  await refuseUnknown(context);
  for (const raw of context.domains.flatMap((domain) => domain.raw)) {
    const model = context.models.models.find(({ name }) => name === raw.kept.model);
    if (model === undefined)
      throw new Error(`raw table ${raw.name}: there is no model ${raw.kept.model} that keeps its rows`);
    const files = context.landing.files(raw.name);
    await adoptCompacted(context, model.name, raw.name);
    const absorbed = await context.warehouse.absorb(model, {
      raw,
      files,
      parameters: NO_TIME,
      landing: context.landing,
    });
    rows += absorbed.rows;
  }
  return rows;
}

/** Absorbed rows whose file is not in landing: either landing lost the file, or the warehouse belongs to another folder. */
async function refuseUnknown({ warehouse, domains, landing }: AbsorbingContext): Promise<void> {
  const models = domains.flatMap(({ raw }) => raw.map(({ kept }) => kept.model));
  const absorbed = await warehouse.absorbed.list(models);
  const [first, ...more] = absorbed.filter(({ file, sha256 }) => !landing.isKnown(file, sha256));
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and of ${more.length} more files`;
  throw new LandingError(
    'damaged_landing',
    `the warehouse holds rows of ${first.file}${others}, which is not what landed`,
    {
      todo: 'Restore the landing folder from a backup; or, to go on with the rows that it has, run: npm run jobs -- rebuild',
    },
  );
}

/** A compacted file whose parts were absorbed is absorbed as well. */
async function adoptCompacted(
  { warehouse: { absorbed }, landing }: AbsorbingContext,
  model: string,
  table: string,
): Promise<void> {
  const compacted = landing
    .receipts(table)
    .flatMap(({ file, replaces }) => (file === null || replaces === undefined ? [] : [{ file, replaces }]));
  const fresh = new Set(
    await absorbed.missing(
      model,
      compacted.map(({ file }) => file),
    ),
  );
  for (const { file, replaces } of compacted.filter((receipt) => fresh.has(receipt.file)))
    await absorbed.adopt(model, {
      file: basename(file),
      sha256: landing.sha256Of(file),
      replaces: replaces.map((batch) => `${batch}.parquet`),
    });
}

type Computing = Pick<PipelineContext, 'warehouse' | 'models' | 'nowMs' | 'reporter'>;

/**
 * Computes every model but the `append` ones, each after what it reads. Those whose inputs are as they were are left out. Which ones is
 * recorded after the rows: after a crash in between they are computed again.
 */
export async function computeModels(context: Computing, window: Parameters): Promise<void> {
  const { models } = context.models;
  const tools = { warehouse: context.warehouse, models };
  const before = await readComputed(context.warehouse);
  const done: Computed[] = [];
  for (const model of models) {
    if (model.kind === 'append') continue;
    const was = before.get(model.name);
    if (was !== undefined && (await isComputed(tools, model, { was, now: window }))) continue;
    await computeModel(context, model, window);
    done.push({ name: model.name, basis: await basisOf(tools, model, window) });
  }
  await recordComputed(context.warehouse, done);
}

async function computeModel(context: Computing, model: Model, window: Parameters): Promise<void> {
  const startedMs = context.nowMs();
  const rows = await materialize(context.warehouse, model, window);
  context.reporter.debug('computed', { table: model.name, rows, ms: context.nowMs() - startedMs });
}
