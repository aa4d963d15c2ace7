// What the warehouse keeps about the series of the last version: the time from which points may have changed, and the files read from it.
import { createHash } from 'node:crypto';
import type { DatasetEntry } from '../../../../snapshots/layout.ts';
import type { SeriesSource } from '../../../define/dataset.ts';
import { literal } from '../../../engine/sql-text.ts';
import type { StateTable, Warehouse } from '../../../engine/warehouse.ts';

type WithState = Pick<Warehouse, 'state'>;

const CHANGED: StateTable = {
  name: 'meta.series_changed',
  columns: [{ name: 'changed_from', type: 'BIGINT' }],
};
/** While this table is empty, every file of a series is read again. */
export const SERIES_PUBLISHED: StateTable = {
  name: 'meta.series_published',
  columns: [
    { name: 'dataset', type: 'VARCHAR' },
    { name: 'definition', type: 'VARCHAR' },
    { name: 'parts', type: 'VARCHAR' },
  ],
};
export const NEVER = 253_402_300_799;

/** Hashes of the definition and of the files of the last version, to check that they match the warehouse. */
export interface SeriesState {
  readonly definition: string;
  readonly parts: string;
}

/** Must be called before computing: points from this time on may change until a version holds them. */
export async function noteChanged({ state }: WithState, from: number): Promise<void> {
  const changed_from = Math.min(from, await changedFrom({ state }));
  await state.replace(CHANGED, [{ changed_from }]);
}

export async function changedFrom({ state }: WithState): Promise<number> {
  await state.prepare(CHANGED);
  const [row] = await state.rows('select changed_from from meta.series_changed');
  return typeof row?.['changed_from'] === 'number' ? row['changed_from'] : NEVER;
}

/** Must be called once a version holds all changes. */
export const forgetChanged = ({ state }: WithState): Promise<void> => state.replace(CHANGED, []);

export async function readPublished({ state }: WithState): Promise<ReadonlyMap<string, SeriesState>> {
  await state.prepare(SERIES_PUBLISHED);
  const rows = await state.rows('select dataset, definition, parts from meta.series_published');
  return new Map(
    rows.map(({ dataset, definition, parts }) => [
      String(dataset),
      { definition: String(definition), parts: String(parts) },
    ]),
  );
}

/** Replaces the state of the named datasets. */
export async function recordPublished(
  { state }: WithState,
  published: ReadonlyMap<string, SeriesState>,
): Promise<void> {
  if (published.size === 0) return;
  const rows = [...published].map(([dataset, { definition, parts }]) => ({ dataset, definition, parts }));
  const names = rows.map(({ dataset }) => literal(dataset)).join(', ');
  await state.replace(SERIES_PUBLISHED, rows, `dataset in (${names})`);
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

export const stateOf = (series: SeriesSource, { series: parts = [] }: DatasetEntry): SeriesState => ({
  definition: hashOf(series),
  parts: hashOf(parts.map(({ sha256 }) => sha256)),
});

export const isSameState = (a: SeriesState | undefined, b: SeriesState): boolean =>
  a?.definition === b.definition && a.parts === b.parts;
