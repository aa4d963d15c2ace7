// Removes superseded rows from the warehouse: the tables that hold some are emptied, and absorb again the files that count. From when on
// everything must be computed again is noted first, so that a crash in between loses nothing.
import type { RawTable } from '../../define/raw-table.ts';
import type { AbsorbedFile, StateTable, Warehouse } from '../../engine/warehouse.ts';
import type { LandedFiles } from '../../ingest/read-landing.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { lineage } from '../models/lineage.ts';
import type { ModelSet } from '../models/model.ts';

export interface Reopening {
  /** Earliest instant among the removed rows, Unix seconds. */
  readonly from: number;
  /** What was done, for the log of corrections. */
  readonly reason: string;
}

const REOPENING: StateTable = {
  name: 'meta.reopening',
  columns: [
    { name: 'first_time', type: 'BIGINT' },
    { name: 'reason', type: 'VARCHAR' },
  ],
};

/** Null if no rows were removed since everything was last computed. */
export async function readReopening({ state }: Pick<Warehouse, 'state'>): Promise<Reopening | null> {
  await state.prepare(REOPENING);
  const [row] = await state.rows('select first_time, reason from meta.reopening');
  return row === undefined ? null : { from: Number(row['first_time']), reason: String(row['reason']) };
}

/** Must be called once everything is computed. */
export async function settleReopening({ state }: Pick<Warehouse, 'state'>): Promise<void> {
  if ((await readReopening({ state })) !== null) await state.replace(REOPENING, []);
}

export interface RemovalContext {
  readonly warehouse: Warehouse;
  readonly models: ModelSet;
  readonly landing: LandedFiles;
}

/** `held`: the files whose rows are in the warehouse. Resolves to the `append` models that were emptied. */
export async function removeSuperseded(
  context: RemovalContext,
  tables: readonly RawTable[],
  held: readonly AbsorbedFile[],
): Promise<ReadonlySet<string>> {
  const { warehouse, models, landing } = context;
  const affected = tables.flatMap((table) => {
    const own = new Set(held.filter(({ model }) => isOf(table, model)).map(({ file }) => file));
    const gone = landing.superseded(table.name).filter(({ batch }) => own.has(`${batch}.parquet`));
    return gone.length === 0 ? [] : [{ table, gone }];
  });
  if (affected.length === 0) return new Set();
  const cleared = new Set(affected.map(({ table }) => table.observations.model));
  const merged = models.models.filter(
    ({ name, kind }) => kind === 'merge' && readsAny(models, name, cleared),
  );
  const first = merged.length > 0 ? await warehouse.absorbed.firstTime('all') : null;
  const times = affected.flatMap(({ gone }) => gone.map(({ first_time }) => first_time ?? 0));
  await noteReopening(warehouse, {
    from: Math.min(...times, ...(first === null ? [] : [first])),
    reason: reasonOf(
      landing,
      affected.flatMap(({ gone }) => gone),
    ),
  });
  // The tables of files come last: as long as they hold a superseded file, an interrupted removal is repeated.
  for (const model of merged) await warehouse.clear(model);
  for (const model of models.models.filter(({ name }) => cleared.has(name))) await warehouse.clear(model);
  return cleared;
}

/** A file that only one of two places has is listed with the name of that place. */
const isOf = ({ observations }: RawTable, model: string) =>
  model === observations.model || model.startsWith(`${observations.model} (`);

const readsAny = (models: ModelSet, name: string, tables: ReadonlySet<string>): boolean =>
  [...lineage(models, name)].some((table) => tables.has(table));

async function noteReopening(
  warehouse: Pick<Warehouse, 'state'>,
  { from, reason }: Reopening,
): Promise<void> {
  const before = await readReopening(warehouse);
  const reasons = new Set([...(before === null ? [] : before.reason.split('; ')), reason]);
  const first_time = Math.min(from, before?.from ?? from);
  await warehouse.state.replace(REOPENING, [{ first_time, reason: [...reasons].join('; ') }]);
}

function reasonOf(landing: LandedFiles, gone: readonly Receipt[]): string {
  const batches = new Set(gone.map(({ batch }) => batch));
  const made = landing
    .supersessions()
    .filter(({ supersession }) => supersession.batches.some((batch) => batches.has(batch)));
  const what = { reland: 'landed again', drop: 'dropped' };
  return [
    ...new Set(made.map(({ source, supersession: { kind } }) => `rows of ${source.id} were ${what[kind]}`)),
  ].join('; ');
}
