// Creates the tables and views of models on Trino, with the column types that an empty DuckDB determines.
import { forEachAtOnce } from '../../../platform/base/tasks.ts';
import type { ModelTable } from '../model.ts';
import { NO_TIME, renderParameters } from '../parameters.ts';
import type { ColumnType } from '../rows.ts';
import type { PreparedTables } from '../warehouse.ts';
import type { Queryable } from './database.ts';
import type { Lake } from './lake.ts';
import { createSql, typedSelect } from './statements.ts';
import type { CatalogueEntry } from './table-states.ts';

/** What is stored about a model. */
interface Definition {
  readonly hash: string;
  /** Columns as JSON. */
  readonly columns: string;
}

/** Creates the tables of models that are new or have changed; `shapes` holds an empty table for each. */
export async function makeTables(lake: Lake, models: readonly ModelTable[]): Promise<PreparedTables> {
  const { database, states, shapes } = lake;
  const wanted = await definitionsIn(shapes.db.rows('select name, sql_hash, columns from meta.model'));
  const stored = await definitionsIn(database.query('select name, sql_hash, columns from model'));
  const isSame = ({ name }: ModelTable) =>
    stored.get(name)?.hash === wanted.get(name)?.hash &&
    stored.get(name)?.columns === wanted.get(name)?.columns;
  const stale = models.filter((model) => !isSame(model));
  if (stale.length > 0) {
    const names = stale.map(({ name }) => name);
    await database.transaction((transaction) => forget(transaction, names));
    for (const name of names) lake.texts.delete(name);
    const catalogued = await states.catalogued();
    const tables = stale.filter(({ kind }) => kind !== 'view');
    await forEachAtOnce(lake.atOnce, tables, (model) => makeTable(lake, model, { wanted, catalogued }));
    // One after the other: a view may read another one.
    for (const model of stale.filter(({ kind }) => kind === 'view')) {
      if (catalogued.get(model.name)?.isView === false) await lake.client.run(`drop table ${model.name}`);
      await createView(lake, model, renderParameters(model.sql, NO_TIME));
    }
    await states.made(names);
    await remember(database, names, wanted);
  }
  return {
    created: stale.filter(({ name }) => !stored.has(name)),
    changed: stale.filter(({ name }) => stored.has(name)),
  };
}

type Definitions = ReadonlyMap<string, Definition>;

async function definitionsIn(
  rows: Promise<readonly { readonly [column: string]: unknown }[]>,
): Promise<Definitions> {
  return new Map(
    (await rows).map((row) => [
      String(row['name']),
      { hash: String(row['sql_hash']), columns: String(row['columns']) },
    ]),
  );
}

/** Creates the table of a model again, without rows. If a run ends in between, the next one does. */
export async function clearTable(lake: Lake, model: ModelTable): Promise<void> {
  await lake.database.transaction((transaction) => forget(transaction, [model.name]));
  for (const kept of [lake.counts, lake.written]) kept.delete(model.name);
  await makeTables(lake, [model]);
}

/** Drops the tables of these models, which are now kept elsewhere. */
export async function dropMovedTables(lake: Lake, models: ReadonlySet<string>): Promise<void> {
  const { client, database } = lake;
  const stored = await database.query('select name from model');
  const names = stored.map(({ name }) => String(name)).filter((name) => models.has(name));
  if (names.length === 0) return;
  await database.transaction((transaction) => forget(transaction, names));
  await lake.states.load();
  const catalogued = await lake.states.catalogued();
  await forEachAtOnce(lake.atOnce, names, async (name) => {
    const found = catalogued.get(name);
    if (found !== undefined) await client.run(`drop ${found.isView ? 'view' : 'table'} ${name}`);
  });
}

/** Forgets models until `remember`: if a run ends in between, the next one creates their tables again. */
async function forget(database: Queryable, names: readonly string[]): Promise<void> {
  await database.query('delete from model where name = any($1)', [names]);
  await database.query('delete from absorbed where model = any($1)', [names]);
  await database.query('delete from table_state where name = any($1)', [names]);
}

async function remember(database: Queryable, names: readonly string[], wanted: Definitions): Promise<void> {
  const of = (part: keyof Definition) => names.map((name) => wanted.get(name)?.[part] ?? '');
  await database.query('insert into model select * from unnest($1::text[], $2::text[], $3::text[])', [
    names,
    of('hash'),
    of('columns'),
  ]);
}

async function makeTable(
  { client }: Lake,
  model: ModelTable,
  {
    wanted,
    catalogued,
  }: { readonly wanted: Definitions; readonly catalogued: ReadonlyMap<string, CatalogueEntry> },
): Promise<void> {
  if (catalogued.get(model.name)?.isView === true) await client.run(`drop view ${model.name}`);
  const columns = JSON.parse(wanted.get(model.name)?.columns ?? '[]') as readonly ColumnType[];
  await client.run(createSql(model.name, columns));
}

/** `sql`: the query with its parameters replaced. */
export async function createView(lake: Lake, model: ModelTable, sql: string): Promise<void> {
  const columns = await lake.columns(model.name);
  const texts = await textColumns(lake, model, sql);
  await lake.client.run(`create or replace view ${model.name} as ${typedSelect(sql, columns, texts)}`);
}

/** Columns that are JSON on DuckDB but text on Trino, because they come from a table. */
export async function textColumns(
  lake: Lake,
  { name }: ModelTable,
  sql: string,
): Promise<ReadonlySet<string>> {
  const documents = (await lake.columns(name)).filter(({ type }) => type === 'JSON');
  if (documents.length === 0) return new Set();
  const known = lake.texts.get(name);
  if (known !== undefined) return known;
  const { columns } = await lake.client.run(`select * from (${sql}\n) as computed where false`);
  const texts = new Set(columns.filter(({ type }) => /^varchar/.test(type)).map((column) => column.name));
  const found = new Set(documents.flatMap((column) => (texts.has(column.name) ? [column.name] : [])));
  lake.texts.set(name, found);
  return found;
}
