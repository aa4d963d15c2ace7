// Absorbs landed rows into the warehouse and recomputes the models that depend on them.
import { basename } from 'node:path';
import { counted } from '../../../platform/base/plural.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { runInOrder } from '../../../platform/base/tasks.ts';
import { materialize } from '../../engine/materialize.ts';
import { NO_TIME, type Parameters } from '../../engine/parameters.ts';
import type { AbsorbedFile } from '../../engine/warehouse.ts';
import { IngestError } from '../../ingest/errors.ts';
import type { LandedFiles } from '../../ingest/read-landing.ts';
import type { PipelineContext } from '../context.ts';
import {
  basisOf,
  type ComputationRecord,
  isComputed,
  readComputed,
  recordComputed,
} from '../../incremental/computed.ts';
import type { Model } from '../models/model.ts';
import { expectQuestions, mayHaveRows, type Tools } from '../../incremental/unchanged.ts';
import { removeSuperseded } from '../undo/remove-superseded.ts';
import { divider } from './stretches.ts';

export type AbsorbingContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains'> & {
  readonly landing: LandedFiles;
};

/** Removes superseded rows, and adds every landed file that the warehouse does not have yet. Resolves to the number of rows added. */
export async function absorbLanded(context: AbsorbingContext): Promise<number> {
  const { warehouse, domains, landing } = context;
  const tables = domains.flatMap(({ raw }) => raw);
  const listed = await warehouse.absorbed.list(tables.map(({ observations }) => observations.model));
  refuseUnknown(landing, listed);
  const cleared = await removeSuperseded(context, tables, listed);
  const held = listed.filter(({ model }) => !cleared.has(model));
  const files = Map.groupBy(held, ({ model }) => model);
  let rows = 0;
  for (const table of tables) {
    const known = new Set(files.get(table.observations.model)?.map(({ file }) => file));
    await adoptCompacted(context, table, known);
    if (landing.files(table.name).some((file) => !known.has(basename(file))))
      rows += await absorbTable(context, table);
  }
  return rows;
}

/** Adds the landed files of one table. Resolves to the number of rows added. */
export async function absorbTable(
  { warehouse, models, landing }: Omit<AbsorbingContext, 'domains'>,
  table: RawTable,
): Promise<number> {
  const model = models.models.find(({ name }) => name === table.observations.model);
  if (model === undefined)
    throw new Error(
      `Raw table ${table.name}: there is no model ${table.observations.model} that keeps its rows.`,
    );
  const files = landing.files(table.name);
  const { rows } = await warehouse.absorb(model, { raw: table, files, parameters: NO_TIME, landing });
  return rows;
}

/** Refuses absorbed rows whose file is not in landing: either landing lost the file, or the warehouse belongs to another folder. */
function refuseUnknown(landing: LandedFiles, held: readonly AbsorbedFile[]): void {
  const unknown = new Set(
    held.filter(({ file, sha256 }) => !landing.isKnown(file, sha256)).map(({ file }) => file),
  );
  const [first, ...more] = [...unknown].sort();
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${counted(more.length, 'more file')}`;
  throw new IngestError(
    'damaged_landing',
    `the warehouse holds rows of files that do not match landing: ${first}${others}`,
    {
      todo: 'Restore the landing folder from a backup; or, to continue with the rows that it holds, use the command `rebuild` of the jobs.',
    },
  );
}

/** Marks a compacted file as absorbed if its parts were. */
async function adoptCompacted(
  { warehouse: { absorbed }, landing }: Omit<AbsorbingContext, 'domains'>,
  { name, observations }: RawTable,
  known: ReadonlySet<string>,
): Promise<void> {
  for (const { file, replaces } of landing.receipts(name)) {
    if (file === null || replaces === undefined || known.has(basename(file))) continue;
    await absorbed.adopt(observations.model, {
      file: basename(file),
      sha256: landing.sha256Of(file),
      replaces: replaces.map((batch) => `${batch}.parquet`),
    });
  }
}

type ComputeContext = Pick<
  PipelineContext,
  'warehouse' | 'models' | 'domains' | 'nowMs' | 'reporter' | 'off' | 'maxStretchRows'
>;

/** Number of rows after which a transaction ends; most runs need only one. */
const MAX_ROWS = 100_000;

/**
 * Computes models except `append` models, each after those that it reads, with the concurrency the warehouse supports. Models whose
 * inputs are unchanged are left out. Which models were computed is recorded after their rows: a crash in between has them computed again.
 * `part`: in build order; what they read outside the part must have been computed.
 */
export async function computeModels(
  context: ComputeContext,
  window: Parameters,
  part = context.models.models,
): Promise<void> {
  const { warehouse, models: set } = context;
  const tools = { warehouse, models: set.models, ...(context.off && { off: context.off }) };
  const models = part.filter(({ kind }) => kind !== 'append');
  const before = await readComputed(warehouse);
  await expectQuestions(
    tools,
    models.flatMap(({ name, times }) => {
      const was = before.get(name);
      return was === undefined ? [] : [{ times, was, now: window }];
    }),
  );
  const divide = divider(context, window, context.maxStretchRows);
  const steps: Steps = {
    isDone: async (model) => {
      const was = before.get(model.name);
      return was !== undefined && isComputed(tools, model, { was, now: window });
    },
    divide: async (model) => ((await staysEmpty(tools, model)) ? [] : divide(model)),
    compute: (model, stretch) => computeModel(context, model, stretch),
    done: async (model) => ({ name: model.name, basis: await basisOf(tools, model, window) }),
  };
  const { transactions, atOnce } = warehouse.capabilities;
  if (transactions) return computeTogether(warehouse, models, steps);
  const done: ComputationRecord[] = [];
  await runInOrder(atOnce, models, async (model) => {
    if (await steps.isDone(model)) return;
    for (const stretch of await steps.divide(model)) await steps.compute(model, stretch);
    done.push(await steps.done(model));
  });
  await recordComputed(warehouse, done);
}

interface Steps {
  readonly isDone: (model: Model) => Promise<boolean>;
  /** The windows for which the model is computed one after the other; none if it has no rows and would get none. */
  readonly divide: (model: Model) => Promise<readonly Parameters[]>;
  /** Resolves to the number of rows written. */
  readonly compute: (model: Model, stretch: Parameters) => Promise<number>;
  readonly done: (model: Model) => Promise<ComputationRecord>;
}

/**
 * Computes models one by one, in few transactions. One may end between two stretches of a model: its table then has another version than
 * the one recorded, so the next run computes it again.
 */
async function computeTogether(
  warehouse: PipelineContext['warehouse'],
  models: readonly Model[],
  steps: Steps,
): Promise<void> {
  const due = dueStretches(models, steps);
  let next = await due.next();
  while (next.done !== true)
    await warehouse.transaction(async () => {
      const done: ComputationRecord[] = [];
      for (let rows = 0; next.done !== true && rows < MAX_ROWS; next = await due.next()) {
        const { model, stretch, isLast } = next.value;
        if (stretch !== undefined) rows += await steps.compute(model, stretch);
        if (isLast) done.push(await steps.done(model));
      }
      await recordComputed(warehouse, done);
    });
}

interface DueStretch {
  readonly model: Model;
  /** Undefined for a model that has no rows and would get none. */
  readonly stretch: Parameters | undefined;
  readonly isLast: boolean;
}

/** Whether a model is due is asked when the stretches before it have been computed. */
async function* dueStretches(
  models: readonly Model[],
  { isDone, divide }: Steps,
): AsyncGenerator<DueStretch> {
  for (const model of models) {
    if (await isDone(model)) continue;
    const stretches = await divide(model);
    const last = Math.max(0, stretches.length - 1);
    for (let place = 0; place <= last; place += 1)
      yield { model, stretch: stretches[place], isLast: place === last };
  }
}

/** Whether the model has no rows and would get none. A view has no rows of its own, but must read as of this window. */
const staysEmpty = async (tools: Tools, { name, kind, needs }: Model): Promise<boolean> =>
  kind !== 'view' && !(await mayHaveRows(tools, needs)) && !(await tools.warehouse.versions.hasRows(name));

async function computeModel(context: ComputeContext, model: Model, window: Parameters): Promise<number> {
  const startedMs = context.nowMs();
  const rows = await materialize(context.warehouse, model, window);
  context.reporter.debug('computed', { table: model.name, rows, ms: context.nowMs() - startedMs });
  return rows;
}
