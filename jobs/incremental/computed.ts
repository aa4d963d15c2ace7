// What the tables of models were computed from, kept in the warehouse next to them. A model with unchanged inputs is not computed again.
import type { ModelTable } from '../engine/model.ts';
import type { Parameters } from '../engine/parameters.ts';
import { literal } from '../engine/sql-text.ts';
import { ENGINE } from '../engine/versions.ts';
import type { StateTable, Warehouse } from '../engine/warehouse.ts';
import type { Dependencies } from './dependencies.ts';
import { type Basis, isUnchanged, type Tools, versionsOf } from './unchanged.ts';

type ComputedModel = Pick<ModelTable, 'name' | 'kind'> & Pick<Dependencies, 'reads' | 'times'>;

/** A model and what it was last computed from. That includes its own table, so a recreated table is computed again. */
export interface ComputationRecord {
  readonly name: string;
  readonly basis: Basis;
}

/** While this table is empty, every model is computed. */
export const COMPUTED: StateTable = {
  name: 'meta.computed',
  columns: [
    { name: 'model', type: 'VARCHAR' },
    { name: 'basis', type: 'VARCHAR' },
  ],
};

export async function readComputed({ state }: Pick<Warehouse, 'state'>): Promise<ReadonlyMap<string, Basis>> {
  await state.prepare(COMPUTED);
  const rows = await state.rows('select model, basis from meta.computed');
  return new Map(rows.map(({ model, basis }) => [String(model), JSON.parse(String(basis)) as Basis]));
}

export async function recordComputed(
  { state }: Pick<Warehouse, 'state'>,
  computed: readonly ComputationRecord[],
): Promise<void> {
  if (computed.length === 0) return;
  const names = computed.map(({ name }) => literal(name)).join(', ');
  await state.replace(
    COMPUTED,
    computed.map(({ name, basis }) => ({ model: name, basis: JSON.stringify(basis) })),
    `model in (${names})`,
  );
}

export async function basisOf(tools: Tools, model: ComputedModel, parameters: Parameters): Promise<Basis> {
  return { versions: await versionsOf(tools, restsOn(model)), parameters };
}

/** Includes the engine, because another version may compute other rows. */
const restsOn = ({ name, reads }: ComputedModel): readonly string[] => [...reads, name, ENGINE];

/**
 * Whether the table already has the rows of this window. The start of a window only decides how much is computed again: earlier rows belong
 * to earlier windows.
 */
export async function isComputed(
  tools: Tools,
  model: ComputedModel,
  { was, now }: { readonly was: Basis; readonly now: Parameters },
): Promise<boolean> {
  if (tools.off?.has('computed-models')) return false;
  const { kind, times } = model;
  const start = kind === 'window' || kind === 'merge' ? was.parameters.start : now.start;
  if (now.end < was.parameters.end) return false;
  return isUnchanged(tools, { reads: restsOn(model), times }, { was, now: { ...now, start } });
}
