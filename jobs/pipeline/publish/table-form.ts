// The files that accompany a dataset's documents: the description of its rows, and the rows as Parquet, written by the engine.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Json } from '../../../platform/base/json.ts';
import { oncePer } from '../../../platform/base/once-per.ts';
import { RefusedInputError } from '../../../platform/storage/errors.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import type { Document, TableInfo } from '../../../snapshots/layout.ts';
import { countRows, type FlatRow, rowsOf } from '../../../snapshots/rows.ts';
import type { Dataset } from '../../define/dataset.ts';
import { EngineError } from '../../engine/errors.ts';
import type { PipelineContext } from '../context.ts';

type FormTools = Pick<PipelineContext, 'warehouse' | 'disk' | 'settings' | 'reporter'>;
type TableForms = Pick<DatasetInput, 'rows' | 'table' | 'parquet'>;

type DescribedDataset = Pick<Dataset, 'title' | 'key' | 'separator' | 'shape' | 'row'>;

const tableInfos = oncePer(
  ({ title, key, separator, shape, row }: DescribedDataset): TableInfo => ({
    ...{ title, key, separator, shape },
    row: JSON.parse(JSON.stringify(row)) as Json,
  }),
);

export function tableForms(
  context: FormTools,
  dataset: DescribedDataset & Pick<Dataset, 'id'>,
  documents: readonly Document[],
): Required<TableForms> {
  const table = tableInfos(dataset);
  const rows = documents.reduce((sum, { value }) => sum + countRows(dataset.shape, value), 0);
  return {
    rows,
    table,
    parquet: () => parquetOf(context, dataset.id, { table, documents }),
  };
}

interface Contents {
  readonly table: TableInfo;
  readonly documents: readonly Document[];
}

/** Null, with a warning, when a value does not fit its column: the other forms are still published. */
async function parquetOf(context: FormTools, id: string, contents: Contents): Promise<Uint8Array | null> {
  try {
    return await writeParquet(context, contents);
  } catch (error) {
    if (!(error instanceof RefusedInputError || error instanceof EngineError)) throw error;
    context.reporter.warn(`dataset ${id} has no Parquet form: ${error.message}`);
    return null;
  }
}

async function writeParquet(
  { warehouse, disk, settings }: FormTools,
  { table, documents }: Contents,
): Promise<Uint8Array> {
  const folder = join(resolve(settings.data_dir), 'tmp');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'table.parquet');
  const { columns, flat } = rowsOf(table);
  const names = columns.map(({ name }) => name);
  const sorted = documents.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const lines = sorted.flatMap((document) => flat(document).map((row) => lineOf(names, row)));
  await warehouse.exportParquet({ file, columns, lines });
  const bytes = await disk.read(file);
  await disk.unlink(file);
  return bytes;
}

/** Objects whose members are assigned in the same order for all rows are serialised twice as fast as objects made from pairs. */
function lineOf(names: readonly string[], row: FlatRow): string {
  const members: { [column: string]: Json } = {};
  for (const [index, name] of names.entries()) members[name] = row[index] ?? null;
  return JSON.stringify(members);
}
