// The table behind a model: made from the SELECT's own types on first use, and made anew when the model or its columns have changed.
import { createHash } from 'node:crypto';
import type { RawTable } from '../../define.ts';
import { DamagedWarehouseError, type Engine } from '../../engine/engine.ts';
import { bindLanding } from './bind.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { Model } from './model.ts';
import { type Parameters, renderParameters, withoutComments } from './model-text.ts';

/** A column and its type in the engine's own words. */
export interface ColumnType {
  readonly name: string;
  readonly type: string;
}

export type TableState = 'kept' | 'created' | 'changed';

const NO_TIME: Parameters = { start: 0, end: 0, now: 0 };

/** Columns that a query answers. */
export async function columnsOf(engine: Engine, sql: string): Promise<readonly ColumnType[]> {
  const rows = await engine.rows(`describe\n${sql}`);
  return rows.map((row) => ({ name: String(row['column_name']), type: String(row['column_type']) }));
}

/**
 * Makes the table of every model, in the order given, and binds the raw tables to nothing. Policy tables must be bound before.
 * Answers which models are not what they were: those hold no rows now, and everything that reads them has to be computed again.
 * A changed `append` model has forgotten its files, so all of them are to be absorbed again.
 */
export async function prepareTables(
  engine: Engine,
  { models, raw }: { readonly models: readonly Model[]; readonly raw: readonly RawTable[] },
): Promise<{ readonly created: readonly Model[]; readonly changed: readonly Model[] }> {
  await engine.execute(`
    create table if not exists meta.model (name varchar, sql_hash varchar, columns varchar);
    create table if not exists meta.absorbed (table_name varchar, file varchar, first_time bigint, is_settled boolean);
    alter table meta.absorbed add column if not exists sha256 varchar`);
  for (const table of raw) await bindLanding(engine, table, []);
  const states = new Map<Model, TableState>();
  await engine.transaction(async () => {
    const warehouse = await readWarehouse(engine);
    for (const model of models) states.set(model, await named(model, () => ensureTable(warehouse, model)));
    await remember(warehouse);
  });
  const those = (state: TableState) => models.filter((model) => states.get(model) === state);
  return { created: those('created'), changed: those('changed') };
}

/** Errors of one model say which file to look at; a damaged warehouse is no model's fault. */
async function named<T>(model: Model, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DamagedWarehouseError || !(cause instanceof Error)) throw cause;
    throw new Error(`${model.file}: ${cause.message}`, { cause });
  }
}

/** What the warehouse held at first, read once: asking it for each of some two hundred models costs more than all else here. */
interface Warehouse {
  readonly engine: Engine;
  /** Of every table and view, by qualified name; kept up to date by what makes and drops them. */
  readonly kinds: Map<string, 'table' | 'view'>;
  readonly stored: ReadonlyMap<string, Stored>;
  /** Models whose tables were made just now. */
  readonly made: Map<string, Stored>;
}

/** What is remembered of a model: the hash of its text, and its columns as JSON. */
interface Stored {
  readonly hash: string;
  readonly columns: string;
}

async function readWarehouse(engine: Engine): Promise<Warehouse> {
  const tables = await engine.rows(
    'select table_schema, table_name, table_type from information_schema.tables',
  );
  const models = await engine.rows('select name, sql_hash, columns from meta.model');
  return {
    engine,
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

async function ensureTable(warehouse: Warehouse, model: Model): Promise<TableState> {
  const { engine } = warehouse;
  const facts = [model.kind, model.grain.join(), model.order, model.time, withoutComments(model.sql)];
  const hash = createHash('sha256').update(facts.join('\n')).digest('hex');
  const stored = warehouse.stored.get(model.name);
  const isSameText = warehouse.kinds.has(model.name) && stored?.hash === hash;
  const sql = renderParameters(model.sql, NO_TIME);
  // A model that reads itself has columns to describe only once it is there; its text has them then already.
  const isKnown = !model.readsSelf || isSameText;
  const columns = isKnown ? await columnsOf(engine, sql) : await columnsOfSelfReader(warehouse, model, sql);
  checkColumns(model, columns);
  const written = JSON.stringify(columns);
  if (isSameText && stored?.columns === written) return 'kept';
  await createTable(warehouse, { model, sql, columns });
  warehouse.made.set(model.name, { hash, columns: written });
  return stored === undefined ? 'created' : 'changed';
}

async function remember({ engine, made }: Warehouse): Promise<void> {
  if (made.size === 0) return;
  const names = [...made.keys()].map(literal).join(', ');
  const rows = [...made].map(
    ([name, { hash, columns }]) => `(${literal(name)}, ${literal(hash)}, ${literal(columns)})`,
  );
  await engine.execute(`
    delete from meta.model where name in (${names});
    delete from meta.absorbed where table_name in (${names});
    insert into meta.model values ${rows.join(', ')}`);
}

function checkColumns(model: Model, columns: readonly ColumnType[]): void {
  const names = columns.map((column) => column.name);
  const wanted = model.time === '' ? model.grain : [...model.grain, model.time];
  const missing = wanted.find((name) => !names.includes(name));
  if (missing === undefined) return;
  throw new Error(`its header names ${missing}, which is not among its columns: ${names.join(', ')}`);
}

interface NewTable {
  readonly model: Model;
  readonly sql: string;
  readonly columns: readonly ColumnType[];
}

async function createTable(warehouse: Warehouse, { model, sql, columns }: NewTable): Promise<void> {
  await drop(warehouse, model.name);
  if (model.kind === 'view') await createView(warehouse, model.name, sql);
  else await createTyped(warehouse, model.name, columns);
}

async function createView({ engine, kinds }: Warehouse, name: string, sql: string): Promise<void> {
  await engine.execute(`create view ${name} as ${sql}`);
  kinds.set(name, 'view');
}

async function createTyped(
  { engine, kinds }: Warehouse,
  name: string,
  columns: readonly ColumnType[],
): Promise<void> {
  const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
  await engine.execute(`create table ${name} (${typed.join(', ')})`);
  kinds.set(name, 'table');
}

async function drop({ engine, kinds }: Warehouse, name: string): Promise<void> {
  const kind = kinds.get(name);
  if (kind === undefined) return;
  await engine.execute(`drop ${kind} ${name}`);
  kinds.delete(name);
}

const MOST_ROUNDS = 4;

/**
 * Types of a model that reads its own earlier rows. Its table starts as nulls without a type, and takes the types that the SELECT
 * gives them, until they stay the same.
 */
async function columnsOfSelfReader(
  warehouse: Warehouse,
  model: Model,
  sql: string,
): Promise<readonly ColumnType[]> {
  const { engine } = warehouse;
  const names = await engine.columnsNamed(sql);
  await drop(warehouse, model.name);
  await createView(
    warehouse,
    model.name,
    `select ${names.map((name) => `null as ${quoted(name)}`).join(', ')}`,
  );
  let columns: readonly ColumnType[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = await columnsOf(engine, sql);
    if (JSON.stringify(found) === JSON.stringify(columns)) return columns;
    columns = found;
    await drop(warehouse, model.name);
    await createTyped(warehouse, model.name, columns);
  }
  throw new Error(`its column types do not settle: cast the columns it takes over from its own earlier rows`);
}
