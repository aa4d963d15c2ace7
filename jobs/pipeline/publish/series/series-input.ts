// The series of a dataset in a new version: the files that changed are read from the warehouse, all others are those of the last version.
import { createHash } from 'node:crypto';
import type { SeriesPartInput } from '../../../../snapshots/dataset-input.ts';
import type { DatasetEntry, Document, Manifest } from '../../../../snapshots/layout.ts';
import type { Dataset } from '../../../define/dataset.ts';
import type { SeriesSource } from '../../../define/series.ts';
import type { StateTable, Warehouse } from '../../../engine/warehouse.ts';
import type { PipelineContext } from '../../context.ts';
import { occupancyOf } from './occupied-days.ts';
import { type PlannedPart, plannedParts } from './plan-parts.ts';
import { readPoints, type Stretch } from './read-points.ts';

type SeriesContext = Pick<PipelineContext, 'warehouse' | 'domains'>;

const CHANGED: StateTable = {
  name: 'meta.series_changed',
  columns: [{ name: 'changed_from', type: 'BIGINT' }],
};
const PUBLISHED: StateTable = {
  name: 'meta.series_published',
  columns: [
    { name: 'dataset', type: 'VARCHAR' },
    { name: 'definition', type: 'VARCHAR' },
    { name: 'parts', type: 'VARCHAR' },
  ],
};
const NEVER = 253_402_300_799;
/** Bounds the memory that the first publication takes. */
const MAX_PARTS_A_QUERY = 8;

/** Before computing: points from here on may change until a version holds them. */
export async function noteChanged(
  { warehouse }: Pick<SeriesContext, 'warehouse'>,
  from: number,
): Promise<void> {
  const changed_from = Math.min(from, await changedFrom(warehouse));
  await warehouse.state.replace(CHANGED, [{ changed_from }]);
}

async function changedFrom({ state }: Pick<Warehouse, 'state'>): Promise<number> {
  await state.prepare(CHANGED);
  const [row] = await state.rows('select changed_from from meta.series_changed');
  return typeof row?.['changed_from'] === 'number' ? row['changed_from'] : NEVER;
}

/** Undefined for a dataset without a series. */
export async function seriesInput(
  { warehouse }: SeriesContext,
  dataset: Dataset,
  { now, previous }: { readonly now: number; readonly previous: Manifest | null },
): Promise<readonly SeriesPartInput[] | undefined> {
  const { series } = dataset;
  if (series === undefined) return undefined;
  const entry = previous?.datasets[dataset.id];
  const isKnown = await isPublishedState(warehouse, dataset, entry);
  const parts = plannedParts({
    definition: series.definition,
    now,
    before: isKnown ? (entry?.series ?? []) : undefined,
    changedFrom: await changedFrom(warehouse),
  });
  const open = parts.filter(({ isEmpty, known }) => !isEmpty && known === undefined);
  const isOccupied = await occupancyOf(warehouse, series, open);
  const wanted = parts.filter((part) => !part.isEmpty && (part.known !== undefined || isOccupied(part)));
  return stretchesOf(wanted, series).flatMap((stretch) => {
    const documentsAt = readTogether(() =>
      readPoints(warehouse, { dataset, series }, { parts: stretch, now }),
    );
    return stretch.map((part, place) => ({ ...part, documents: () => documentsAt(place) }));
  });
}

/** New files that adjoin are read by one query. Those of daily series overlap in what they read, and are few. */
function stretchesOf(parts: readonly PlannedPart[], { definition }: SeriesSource): readonly Stretch[] {
  const stretches: [PlannedPart, ...PlannedPart[]][] = [];
  for (const part of parts) {
    const open = stretches.at(-1);
    const last = open?.at(-1);
    const isNext =
      last?.to === part.from && last.resolution === part.resolution && !(last.known || part.known);
    if (open !== undefined && isNext && definition.grain !== 'daily' && open.length < MAX_PARTS_A_QUERY)
      open.push(part);
    else stretches.push([part]);
  }
  return stretches;
}

/** Every file takes its documents once, and they are not kept longer. */
function readTogether(read: () => Promise<readonly (readonly Document[])[]>) {
  let found: (readonly Document[] | undefined)[] = [];
  return async (place: number): Promise<readonly Document[]> => {
    if (found[place] === undefined) found = [...(await read())];
    const documents = found[place] ?? [];
    found[place] = undefined;
    return documents;
  };
}

/** After a version holds them. Datasets that it left out stay as noted. */
export async function acceptSeries(
  { warehouse, domains }: SeriesContext,
  published: Manifest,
  leftOut: ReadonlySet<string>,
): Promise<void> {
  const datasets = domains.flatMap(({ datasets: own }) => own);
  for (const dataset of datasets) {
    const entry = published.datasets[dataset.id];
    if (dataset.series === undefined || entry === undefined || leftOut.has(dataset.id)) continue;
    await remember(warehouse, dataset, entry);
  }
  const isOpen = datasets.some(({ id, series }) => series !== undefined && leftOut.has(id));
  if (!isOpen) await warehouse.state.replace(CHANGED, []);
}

async function remember({ state }: Warehouse, { id, series }: Dataset, entry: DatasetEntry): Promise<void> {
  const definition = definitionOf(series);
  const row = { dataset: id, definition, parts: partsOf(entry) };
  await state.prepare(PUBLISHED);
  await state.replace(PUBLISHED, [row], `dataset = '${id}'`);
}

/** Whether the warehouse is the one that the last version's files were read from, by the same definition. */
async function isPublishedState(
  { state }: Warehouse,
  { id, series }: Dataset,
  entry: DatasetEntry | undefined,
): Promise<boolean> {
  await state.prepare(PUBLISHED);
  const rows = await state.rows(
    `select definition, parts from meta.series_published where dataset = '${id}'`,
  );
  const [row] = rows;
  return (
    entry !== undefined && row?.['definition'] === definitionOf(series) && row['parts'] === partsOf(entry)
  );
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const definitionOf = (series: SeriesSource | undefined): string => hashOf(series);
const partsOf = ({ series = [] }: DatasetEntry): string => hashOf(series.map(({ sha256 }) => sha256));
