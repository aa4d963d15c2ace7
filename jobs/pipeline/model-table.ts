// The table behind a model: made from the SELECT's own types on first use, and made anew when the model or its columns have changed.
import { createHash } from 'node:crypto';
import type { RawTable } from '../define.ts';
import { DamagedWarehouseError, type Engine } from '../engine/engine.ts';
import { bindLanding } from './bind.ts';
import { literal, quoted } from './landing/sql-text.ts';
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
    create table if not exists meta.absorbed (table_name varchar, file varchar, first_time bigint, is_settled boolean)`);
  for (const table of raw) await bindLanding(engine, table, []);
  const states = new Map<Model, TableState>();
  for (const model of models) states.set(model, await named(model, () => ensureTable(engine, model)));
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

async function ensureTable(engine: Engine, model: Model): Promise<TableState> {
  return engine.transaction(async () => {
    const facts = [model.kind, model.grain.join(), model.order, model.time, withoutComments(model.sql)];
    const hash = createHash('sha256').update(facts.join('\n')).digest('hex');
    const [stored] = await engine.rows(
      `select sql_hash, columns from meta.model where name = ${literal(model.name)}`,
    );
    const exists = (await kindOfTable(engine, model.name)) !== null;
    const sql = renderParameters(model.sql, NO_TIME);
    // A model that reads itself has columns to describe only once it is there; its text has them then already.
    const known = !model.readsSelf || (exists && stored?.['sql_hash'] === hash);
    const columns = known ? await columnsOf(engine, sql) : await columnsOfSelfReader(engine, model, sql);
    checkColumns(model, columns);
    const written = JSON.stringify(columns);
    if (exists && stored?.['sql_hash'] === hash && stored['columns'] === written) return 'kept';
    await createTable(engine, { model, sql, columns });
    await engine.execute(`
      delete from meta.model where name = ${literal(model.name)};
      delete from meta.absorbed where table_name = ${literal(model.name)};
      insert into meta.model values (${literal(model.name)}, ${literal(hash)}, ${literal(written)})`);
    return stored === undefined ? 'created' : 'changed';
  });
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

async function createTable(engine: Engine, { model, sql, columns }: NewTable): Promise<void> {
  await dropTable(engine, model.name);
  if (model.kind === 'view') await engine.execute(`create view ${model.name} as ${sql}`);
  else await createTyped(engine, model.name, columns);
}

const createTyped = (engine: Engine, name: string, columns: readonly ColumnType[]) =>
  engine.execute(
    `create table ${name} (${columns.map((column) => `${quoted(column.name)} ${column.type}`).join(', ')})`,
  );

const MOST_ROUNDS = 4;

/**
 * Types of a model that reads its own earlier rows. Its table starts as nulls without a type, and takes the types that the SELECT
 * gives them, until they stay the same.
 */
async function columnsOfSelfReader(
  engine: Engine,
  model: Model,
  sql: string,
): Promise<readonly ColumnType[]> {
  const names = await engine.columnsNamed(sql);
  await dropTable(engine, model.name);
  await engine.execute(
    `create view ${model.name} as select ${names.map((name) => `null as ${quoted(name)}`).join(', ')}`,
  );
  let columns: readonly ColumnType[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = await columnsOf(engine, sql);
    if (JSON.stringify(found) === JSON.stringify(columns)) return columns;
    columns = found;
    await dropTable(engine, model.name);
    await createTyped(engine, model.name, columns);
  }
  throw new Error(`its column types do not settle: cast the columns it takes over from its own earlier rows`);
}

async function kindOfTable(engine: Engine, name: string): Promise<'table' | 'view' | null> {
  const [schema, table] = name.split('.');
  const [row] = await engine.rows(
    `select table_type from information_schema.tables
     where table_schema = ${literal(schema ?? '')} and table_name = ${literal(table ?? '')}`,
  );
  if (row === undefined) return null;
  return row['table_type'] === 'VIEW' ? 'view' : 'table';
}

async function dropTable(engine: Engine, name: string): Promise<void> {
  const kind = await kindOfTable(engine, name);
  if (kind !== null) await engine.execute(`drop ${kind} ${name}`);
}
