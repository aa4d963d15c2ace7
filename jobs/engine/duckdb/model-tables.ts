// The table behind a model: created with the SELECT's types on first use, and recreated when the model or its columns have changed.
import { sentence } from '../../../platform/base/printable.ts';
import { createHash } from 'node:crypto';
import { DamagedWarehouseError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import { NO_TIME, renderParameters, withoutComments } from '../parameters.ts';
import type { ColumnType } from '../rows.ts';
import { literal, quoted } from '../sql-text.ts';
import type { PreparedTables, WarehouseTables } from '../warehouse.ts';
import { bindViews, landingView, type View } from './bind.ts';
import type { DuckDb } from './session.ts';
import type { Versions } from './versions.ts';

type TableState = 'kept' | 'created' | 'changed';

/** Columns of a query. */
export async function columnsOf(db: DuckDb, sql: string): Promise<readonly ColumnType[]> {
  const rows = await db.rows(`describe\n${sql}`);
  return rows.map((row) => ({ name: String(row['column_name']), type: String(row['column_type']) }));
}

interface ModelTableTools {
  readonly db: DuckDb;
  readonly versions: Versions;
  /** Columns of policy tables, as JSON by table name. */
  readonly shapes?: ReadonlyMap<string, string>;
  readonly policies?: readonly View[];
}

/** See `Warehouse.prepare`. Binds the raw tables to empty relations. */
export async function prepareTables(
  { db, versions, shapes = new Map(), policies = [] }: ModelTableTools,
  { models, raw }: WarehouseTables,
): Promise<PreparedTables> {
  const states = new Map<ModelTable, TableState>();
  await db.transaction(async () => {
    await bindViews(db, [...policies, ...raw.map((table) => landingView(table, []))]);
    const landing = raw.map(({ name, fields }) => [`landing.${name}`, JSON.stringify(fields)] as const);
    const contents = await readContents(db, new Map([...shapes, ...landing]));
    for (const model of models) states.set(model, await named(model, () => ensureTable(contents, model)));
    await contents.changes.flush();
    await remember(contents);
    await versions.start([...contents.made.keys()]);
    await versions.save();
  });
  const those = (state: TableState) => models.filter((model) => states.get(model) === state);
  return { created: those('created'), changed: those('changed') };
}

/** Prefixes errors with the file of the model, except damage to the warehouse, which is not the model's fault. */
async function named<T>(model: ModelTable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DamagedWarehouseError || !(cause instanceof Error)) throw cause;
    throw new Error(`${model.file}: ${sentence(cause.message)}`, { cause });
  }
}

/** Contents of the warehouse, read once: a query for each of some two hundred models would cost more than everything else here. */
interface Contents {
  readonly db: DuckDb;
  readonly changes: Changes;
  /** Columns of tables that are not models, added as they are needed. */
  readonly shapes: Map<string, string>;
  /** Kind of every table and view, by qualified name; kept up to date as they are created and dropped. */
  readonly kinds: Map<string, 'table' | 'view'>;
  readonly stored: ReadonlyMap<string, StoredModel>;
  /** Models whose tables were just created. */
  readonly made: Map<string, StoredModel>;
  /** Models whose tables are kept, although what their columns are derived from has changed. */
  readonly noted: Map<string, StoredModel>;
}

/** What is stored about a model: the hash of its text, and its columns as JSON. */
interface StoredModel {
  readonly hash: string;
  readonly columns: string;
  /** Hash of what the columns are derived from. */
  readonly shape: string;
}

async function readContents(db: DuckDb, shapes: Contents['shapes']): Promise<Contents> {
  const tables = await db.rows('select table_schema, table_name, table_type from information_schema.tables');
  const models = await db.rows('select name, sql_hash, columns, shape from meta.model');
  return {
    db,
    changes: new Changes(db),
    shapes,
    kinds: new Map(
      tables.map((row) => [
        `${row['table_schema']}.${row['table_name']}`,
        row['table_type'] === 'VIEW' ? 'view' : 'table',
      ]),
    ),
    stored: new Map(
      models.map((row) => [
        String(row['name']),
        { hash: String(row['sql_hash']), columns: String(row['columns']), shape: String(row['shape']) },
      ]),
    ),
    made: new Map(),
    noted: new Map(),
  };
}

async function ensureTable(contents: Contents, model: ModelTable): Promise<TableState> {
  const facts = [model.kind, model.grain.join(), model.order, model.time, withoutComments(model.sql)];
  const hash = hashOf(facts);
  const stored = contents.stored.get(model.name);
  const isSameText = contents.kinds.has(model.name) && stored?.hash === hash;
  const sql = renderParameters(model.sql, NO_TIME);
  const shape = await shapeOf(contents, model, hash);
  const known = stored?.shape === shape ? stored.columns : knownColumns.get(shape);
  const columns =
    known === undefined
      ? await describe(contents, { model, sql, isSameText })
      : (JSON.parse(known) as readonly ColumnType[]);
  checkColumns(model, columns);
  const written = JSON.stringify(columns);
  knownColumns.set(shape, written);
  const isSame = isSameText && stored?.columns === written;
  if (isSame && stored.shape === shape) return 'kept';
  if (!isSame) await createTable(contents, { model, sql, columns });
  (isSame ? contents.noted : contents.made).set(model.name, { hash, columns: written, shape });
  if (isSame) return 'kept';
  return stored === undefined ? 'created' : 'changed';
}

const hashOf = (facts: readonly string[]): string =>
  createHash('sha256').update(facts.join('\n')).digest('hex');

/** Columns by the hash of what they are derived from, for the whole process: describing all models takes a third of a second. */
const knownColumns = new Map<string, string>();

/** Hash of the engine's version, the model's text and the columns of the tables that it reads. */
async function shapeOf(contents: Contents, model: ModelTable, hash: string): Promise<string> {
  const { db, made, noted, stored, shapes } = contents;
  const reads = await db.tablesRead(model.sql);
  const facts = [db.version, hash];
  for (const table of reads.filter((name) => name !== model.name)) {
    const own = made.get(table) ?? noted.get(table) ?? stored.get(table);
    const columns =
      own?.columns ?? shapes.get(table) ?? JSON.stringify(await columnsOf(db, `select * from ${table}`));
    if (own === undefined) shapes.set(table, columns);
    facts.push(table, columns);
  }
  return hashOf(facts);
}

/** A model that reads itself can be described directly only if its table was created from the same text. */
async function describe(
  contents: Contents,
  {
    model,
    sql,
    isSameText,
  }: { readonly model: ModelTable; readonly sql: string; readonly isSameText: boolean },
): Promise<readonly ColumnType[]> {
  await contents.changes.flush();
  return !model.readsSelf || isSameText
    ? columnsOf(contents.db, sql)
    : columnsOfSelfReader(contents, model, sql);
}

async function remember({ db, made, noted }: Contents): Promise<void> {
  const all = [...made, ...noted];
  if (all.length === 0) return;
  const names = (list: Iterable<string>) => ['', ...list].map(literal).join(', ');
  const rows = all.map(
    ([name, { hash, columns, shape }]) => `(${[name, hash, columns, shape].map(literal).join(', ')})`,
  );
  await db.execute(`
    delete from meta.model where name in (${names(all.map(([name]) => name))});
    delete from meta.absorbed where table_name in (${names(made.keys())});
    insert into meta.model (name, sql_hash, columns, shape) values ${rows.join(', ')}`);
}

function checkColumns(model: ModelTable, columns: readonly ColumnType[]): void {
  const names = columns.map((column) => column.name);
  const wanted = model.time === '' ? model.grain : [...model.grain, model.time];
  const missing = wanted.find((name) => !names.includes(name));
  if (missing === undefined) return;
  throw new Error(`Its header names ${missing}, which is not among its columns: ${names.join(', ')}.`);
}

async function createTable(
  contents: Contents,
  {
    model,
    sql,
    columns,
  }: { readonly model: ModelTable; readonly sql: string; readonly columns: readonly ColumnType[] },
): Promise<void> {
  await drop(contents, model.name);
  if (model.kind === 'view') await createView(contents, model.name, sql);
  else await createTyped(contents, model.name, columns);
}

async function createView({ changes, kinds }: Contents, name: string, sql: string): Promise<void> {
  changes.add(`create view ${name} as ${sql}`);
  kinds.set(name, 'view');
}

async function createTyped(
  { changes, kinds }: Contents,
  name: string,
  columns: readonly ColumnType[],
): Promise<void> {
  const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
  changes.add(`create table ${name} (${typed.join(', ')})`);
  kinds.set(name, 'table');
}

async function drop({ changes, kinds }: Contents, name: string): Promise<void> {
  const kind = kinds.get(name);
  if (kind === undefined) return;
  changes.add(`drop ${kind} ${name}`);
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
    await contents.changes.flush();
    const found = await columnsOf(db, sql);
    if (JSON.stringify(found) === JSON.stringify(columns)) return columns;
    columns = found;
    await drop(contents, model.name);
    await createTyped(contents, model.name, columns);
  }
  throw new Error(
    `Its column types do not settle: cast the columns that it carries over from its own earlier rows.`,
  );
}

// Collects statements that change the catalogue and runs them together, because each of them alone would cost a round trip.

class Changes {
  readonly #db: DuckDb;
  #statements: string[] = [];

  constructor(db: DuckDb) {
    this.#db = db;
  }

  add(statement: string): void {
    this.#statements.push(statement);
  }

  /** Runs the collected statements. Must be called before anything queries the tables. */
  async flush(): Promise<void> {
    const statements = this.#statements;
    this.#statements = [];
    if (statements.length > 0) await this.#db.execute(statements.join(';\n'));
  }
}
