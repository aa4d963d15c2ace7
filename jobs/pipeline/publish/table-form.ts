// What goes with a dataset beside its documents: the description of its rows, and the rows as Parquet, written by the engine.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Column, ColumnType } from '../../../snapshots/columns.ts';
import type { DatasetInput } from '../../../snapshots/dataset-input.ts';
import { RefusedInputError } from '../../../snapshots/errors.ts';
import type { Document, Json, TableInfo } from '../../../snapshots/layout.ts';
import { countRows, type Rows, rowsOf } from '../../../snapshots/rows.ts';
import type { Dataset } from '../../define.ts';
import { EngineError } from '../../engine/engine.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { World } from '../context.ts';

type Workshop = Pick<World, 'engine' | 'disk' | 'settings' | 'reporter'>;
type TableForms = Pick<DatasetInput, 'rows' | 'table' | 'parquet'>;

export function tableForms(
  world: Workshop,
  {
    title,
    key,
    separator,
    shape,
    row,
    id,
  }: Pick<Dataset, 'title' | 'key' | 'separator' | 'shape' | 'row' | 'id'>,
  documents: readonly Document[],
): Required<TableForms> {
  const table: TableInfo = { title, key, separator, shape, row: JSON.parse(JSON.stringify(row)) as Json };
  const rows = documents.reduce((sum, { value }) => sum + countRows(shape, value), 0);
  return { rows, table, parquet: () => parquetOf(world, id, { rows: rowsOf(table), documents }) };
}

interface Contents {
  readonly rows: Rows;
  readonly documents: readonly Document[];
}

/** Null, and a warning, when a column cannot hold what is in it: the other forms are published all the same. */
async function parquetOf(world: Workshop, id: string, contents: Contents): Promise<Uint8Array | null> {
  try {
    return await writeParquet(world, contents);
  } catch (error) {
    if (!(error instanceof RefusedInputError || error instanceof EngineError)) throw error;
    world.reporter.warn(`dataset ${id} has no Parquet form: ${error.message}`);
    return null;
  }
}

const LINES = 'meta.table_line';

async function writeParquet(
  { engine, disk, settings }: Workshop,
  { rows, documents }: Contents,
): Promise<Uint8Array> {
  const folder = join(resolve(settings.data_dir), 'tmp');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'table.parquet');
  const names = rows.columns.map(({ name }) => name);
  const values = documents
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap((document) => rows.flat(document))
    .map((row) => JSON.stringify(Object.fromEntries(names.map((name, place) => [name, row[place] ?? null]))));
  const fields = names.map((name) => `(r).${quoted(name)} as ${quoted(name)}`).join(', ');
  try {
    await engine.execute(`create or replace table ${LINES} (line varchar)`);
    await engine.append(LINES, [{ name: 'line', type: 'VARCHAR', values }]);
    await engine.execute(
      `copy (select ${fields} from (select from_json_strict(line, ${literal(structureOf(rows.columns))}) as r from ${LINES}))
       to ${literal(file)} (format parquet, compression zstd)`,
    );
    const bytes = await disk.read(file);
    await disk.unlink(file);
    return bytes;
  } finally {
    await engine.execute(`drop table if exists ${LINES}`);
  }
}

/** As `from_json` wants it: `{"pair":"VARCHAR","price":{"min":"DOUBLE"}}`. */
const structureOf = (columns: readonly Column[]): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name, type }) => [name, sqlType(type)])));

const SQL_TYPES = {
  text: 'VARCHAR',
  json: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};

function sqlType(type: ColumnType): Json {
  switch (type.kind) {
    case 'list':
      return [sqlType(type.item)];
    case 'struct':
      return Object.fromEntries(type.columns.map(({ name, type: inner }) => [name, sqlType(inner)]));
    default:
      return SQL_TYPES[type.kind];
  }
}
