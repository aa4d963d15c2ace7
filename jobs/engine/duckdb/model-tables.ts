// The table behind a model: created with the SELECT's types on first use, and recreated when the model or its columns have changed.
import { createHash } from 'node:crypto';
import { DamagedWarehouseError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import { NO_TIME, renderParameters, withoutComments } from '../parameters.ts';
import type { ColumnType } from '../rows.ts';
import { literal, quoted } from '../sql-text.ts';
import type { PreparedTables, WarehouseTables } from '../warehouse.ts';
import { bindLanding } from './bind.ts';
import type { DuckDb } from './session.ts';
import type { Versions } from './versions.ts';

type TableState = 'kept' | 'created' | 'changed';

/** Columns of a query. */
export async function columnsOf(db: DuckDb, sql: string): Promise<readonly ColumnType[]> {
  const rows = await db.rows(`describe\n${sql}`);
  return rows.map((row) => ({ name: String(row['column_name']), type: String(row['column_type']) }));
}

/** See `Warehouse.prepare`. Binds the raw tables to empty relations. */
export async function prepareTables(
  db: DuckDb,
  versions: Versions,
  { models, raw }: WarehouseTables,
): Promise<PreparedTables> {
  await db.execute(`
    create table if not exists meta.model (name varchar, sql_hash varchar, columns varchar);
    create table if not exists meta.absorbed (table_name varchar, file varchar, first_time bigint, is_settled boolean);
    alter table meta.absorbed add column if not exists sha256 varchar`);
  for (const table of raw) await bindLanding(db, table, []);
  const states = new Map<ModelTable, TableState>();
  await db.transaction(async () => {
    const contents = await readContents(db);
    for (const model of models) states.set(model, await named(model, () => ensureTable(contents, model)));
    await remember(contents);
    await versions.bump([...contents.made.keys()]);
  });
  const those = (state: TableState) => models.filter((model) => states.get(model) === state);
  return { created: those('created'), changed: those('changed') };
}

/** Errors of a model name its file; a damaged warehouse is not a model's fault. */
async function named<T>(model: ModelTable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DamagedWarehouseError || !(cause instanceof Error)) throw cause;
    throw new Error(`${model.file}: ${cause.message}`, { cause });
  }
}

/** What the warehouse held at first, read once: a query for each of some two hundred models would cost more than everything else here. */
interface Contents {
  readonly db: DuckDb;
  /** Of every table and view, by qualified name; kept up to date as they are created and dropped. */
  readonly kinds: Map<string, 'table' | 'view'>;
  readonly stored: ReadonlyMap<string, Stored>;
  /** Models whose tables were just created. */
  readonly made: Map<string, Stored>;
}

/** What is stored about a model: the hash of its text, and its columns as JSON. */
interface Stored {
  readonly hash: string;
  readonly columns: string;
}

async function readContents(db: DuckDb): Promise<Contents> {
  const tables = await db.rows('select table_schema, table_name, table_type from information_schema.tables');
  const models = await db.rows('select name, sql_hash, columns from meta.model');
  return {
    db,
    kinds: new Map(
      tables.map((row) => [
        `${row['table_schema']}.${row['table_name']}`,
        row['table_type'] === 'VIEW' ? 'view' : 'table',
      ]),
    ),
    stored: new Map(
      models.map((row) => [
        String(row['name']),
        { hash: String(row['sql_hash']), columns: String(row['columns']) },
      ]),
    ),
    made: new Map(),
  };
}

async function ensureTable(contents: Contents, model: ModelTable): Promise<TableState> {
  const { db } = contents;
  const facts = [model.kind, model.grain.join(), model.order, model.time, withoutComments(model.sql)];
  const hash = createHash('sha256').update(facts.join('\n')).digest('hex');
  const stored = contents.stored.get(model.name);
  const isSameText = contents.kinds.has(model.name) && stored?.hash === hash;
  const sql = renderParameters(model.sql, NO_TIME);
  // A model that reads itself can be described only if its table exists with the columns of the same text.
  const isKnown = !model.readsSelf || isSameText;
  const columns = isKnown ? await columnsOf(db, sql) : await columnsOfSelfReader(contents, model, sql);
  checkColumns(model, columns);
  const written = JSON.stringify(columns);
  if (isSameText && stored?.columns === written) return 'kept';
  await createTable(contents, { model, sql, columns });
  contents.made.set(model.name, { hash, columns: written });
  return stored === undefined ? 'created' : 'changed';
}

async function remember({ db, made }: Contents): Promise<void> {
  if (made.size === 0) return;
  const names = [...made.keys()].map(literal).join(', ');
  const rows = [...made].map(
    ([name, { hash, columns }]) => `(${literal(name)}, ${literal(hash)}, ${literal(columns)})`,
  );
  await db.execute(`
    delete from meta.model where name in (${names});
    delete from meta.absorbed where table_name in (${names});
    insert into meta.model values ${rows.join(', ')}`);
}

function checkColumns(model: ModelTable, columns: readonly ColumnType[]): void {
  const names = columns.map((column) => column.name);
  const wanted = model.time === '' ? model.grain : [...model.grain, model.time];
  const missing = wanted.find((name) => !names.includes(name));
  if (missing === undefined) return;
  throw new Error(`its header names ${missing}, which is not among its columns: ${names.join(', ')}`);
}

interface NewTable {
  readonly model: ModelTable;
  readonly sql: string;
  readonly columns: readonly ColumnType[];
}

async function createTable(contents: Contents, { model, sql, columns }: NewTable): Promise<void> {
  await drop(contents, model.name);
  if (model.kind === 'view') await createView(contents, model.name, sql);
  else await createTyped(contents, model.name, columns);
}

async function createView({ db, kinds }: Contents, name: string, sql: string): Promise<void> {
  await db.execute(`create view ${name} as ${sql}`);
  kinds.set(name, 'view');
}

async function createTyped(
  { db, kinds }: Contents,
  name: string,
  columns: readonly ColumnType[],
): Promise<void> {
  const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
  await db.execute(`create table ${name} (${typed.join(', ')})`);
  kinds.set(name, 'table');
}

async function drop({ db, kinds }: Contents, name: string): Promise<void> {
  const kind = kinds.get(name);
  if (kind === undefined) return;
  await db.execute(`drop ${kind} ${name}`);
  kinds.delete(name);
}

const MAX_ROUNDS = 4;

/**
 * Types of a model that reads its own earlier rows. Its table starts with untyped nulls and takes the types of the SELECT until they no
 * longer change.
 */
async function columnsOfSelfReader(
  contents: Contents,
  model: ModelTable,
  sql: string,
): Promise<readonly ColumnType[]> {
  const { db } = contents;
  const names = await db.columnsNamed(sql);
  await drop(contents, model.name);
  await createView(
    contents,
    model.name,
    `select ${names.map((name) => `null as ${quoted(name)}`).join(', ')}`,
  );
  let columns: readonly ColumnType[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await columnsOf(db, sql);
    if (JSON.stringify(found) === JSON.stringify(columns)) return columns;
    columns = found;
    await drop(contents, model.name);
    await createTyped(contents, model.name, columns);
  }
  throw new Error(`its column types do not settle: cast the columns it takes over from its own earlier rows`);
}
