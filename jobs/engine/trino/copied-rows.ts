// Rows of tables that are copied to and from another warehouse. Trino's rows arrive page by page, and an in-memory DuckDB writes them to a
// file with their types. A file with rows for Trino is put where Trino finds it, and added to the table.
import { exportRows as exportRelation } from '../duckdb/copied-rows.ts';
import type { DuckDb } from '../duckdb/session.ts';
import type { ModelTable } from '../model.ts';
import type { RowsFile } from '../placed/part.ts';
import type { ColumnSpec, ColumnType } from '../rows.ts';
import { quoted } from '../sql-text.ts';
import { keyOf, registerFile } from './absorb.ts';
import type { FetchedRow } from './constants.ts';
import type { Lake } from './lake.ts';
import { tidyTable } from './maintenance.ts';
import { jsonReader } from './values.ts';

export async function exportRows(lake: Lake, { name }: ModelTable, { where, file }: RowsFile): Promise<void> {
  const { shapes, inTurn, makeId } = lake;
  const columns = await lake.columns(name);
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const staged = `copied_${makeId().toLowerCase()}`;
  await shapes.db.execute(
    `create or replace temp table ${staged} (${columns.map(({ name: own, type }) => `${quoted(own)} ${stagedType(type)}`).join(', ')})`,
  );
  try {
    for await (const rows of rowsOf(lake, { table: name, where, names }))
      if (rows.length > 0) await inTurn(() => stage(shapes.db, { table: `main.${staged}`, columns, rows }));
    const typed = columns.map(({ name: own, type }) => `${unstaged(own, type)} as ${quoted(own)}`).join(', ');
    await exportRelation(shapes.db, { from: `(select ${typed} from ${staged})`, columns }, file);
  } finally {
    await shapes.db.execute(`drop table if exists ${staged}`);
  }
}

interface RowSelection {
  readonly table: string;
  readonly where: string;
  /** Names of the columns, separated by commas. */
  readonly names: string;
}

/** Rows just written are not read again. */
async function* rowsOf(
  { client, states, written }: Lake,
  { table, where, names }: RowSelection,
): AsyncGenerator<readonly FetchedRow[]> {
  const known = written.get(table);
  written.delete(table);
  if (known?.where === where && known.version === states.version(table)) yield known.rows;
  else for await (const page of client.pages(`select ${names} from ${table} where ${where}`)) yield page.rows;
}

/** Types whose values are staged unchanged. Others are staged as text; lists and structs as JSON text. */
const PLAIN: ReadonlySet<string> = new Set<ColumnSpec['type']>([
  'VARCHAR',
  'BIGINT',
  'DOUBLE',
  'BOOLEAN',
  'INTEGER',
]);

const stagedType = (type: string): ColumnSpec['type'] =>
  PLAIN.has(type) ? (type as ColumnSpec['type']) : 'VARCHAR';

const isNested = (type: string): boolean => /(\[\]|\))$/.test(type) && !type.startsWith('DECIMAL');

const unstaged = (name: string, type: string): string =>
  isNested(type) ? `cast(cast(${quoted(name)} as json) as ${type})` : `cast(${quoted(name)} as ${type})`;

async function stage(
  db: DuckDb,
  {
    table,
    columns,
    rows,
  }: {
    readonly table: string;
    readonly columns: readonly ColumnType[];
    readonly rows: readonly FetchedRow[];
  },
): Promise<void> {
  await db.append(
    table,
    columns.map(({ name, type }, index) => {
      const toText = isNested(type) ? jsonText(type, name) : String;
      const read = (value: unknown) =>
        value === null || value === undefined ? null : PLAIN.has(type) ? value : toText(value);
      return {
        name,
        type: stagedType(type),
        values: rows.map((row) => read(row[index])) as (string | null)[],
      };
    }),
  );
}

function jsonText(type: string, name: string): (value: unknown) => string {
  const read = jsonReader(type, name);
  return (value) => JSON.stringify(read(value));
}

/** Changes the table twice: the copy counts only once both changes are known to be complete. */
export async function importRows(lake: Lake, { name }: ModelTable, { where, file }: RowsFile): Promise<void> {
  const { client, states, files, makeId } = lake;
  if (states.hasRows(name) !== false) {
    await states.begin(name);
    await client.run(`delete from ${name} where ${where}`).finally(() => states.settle(name));
  }
  const key = keyOf(`${name}/${makeId()}`);
  await states.begin(name);
  try {
    await registerFile(lake, { table: name, key, file });
  } catch (error) {
    if (!(await states.settle(name))) await files.remove(key);
    throw error;
  }
  await states.settle(name);
  await tidyTable(lake, name);
}
