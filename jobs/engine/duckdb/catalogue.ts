// Writes a DuckDB file that holds no rows of datasets, only views over Parquet files at their public addresses, so that an analytics engine
// finds every dataset with one ATTACH. Nothing is read from the network: DuckDB looks at the columns of a view's file when it creates the
// view, so for that moment `read_parquet` is a macro that reads the local copy. What is stored is the text of the view, which in the
// reader's DuckDB means the function.
import { DuckDBInstance } from '@duckdb/node-api';
import { literal, quoted } from '../sql-text.ts';

export interface CatalogueView {
  readonly schema: string;
  readonly name: string;
  readonly address: string;
  readonly comment: string;
  readonly columns: readonly { readonly name: string; readonly comment: string }[];
}

export interface CatalogueTable {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly (readonly [name: string, type: 'VARCHAR' | 'BIGINT' | 'TIMESTAMP'])[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface Catalogue {
  /** Files below this address are in `folder`. */
  readonly url: string;
  readonly folder: string;
  readonly views: readonly CatalogueView[];
  readonly tables: readonly CatalogueTable[];
}

/** Small blocks: the file is fetched whole or in parts over HTTP, and a view needs a few hundred bytes. */
const BLOCK_BYTES = 16_384;
const MAIN = 'main';

/** @throws Error if a view's file is missing or damaged; `file` must not exist */
export async function writeCatalogue(file: string, catalogue: Catalogue): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    for (const statement of statementsOf(file, catalogue)) await connection.run(statement);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

function* statementsOf(file: string, { url, folder, views, tables }: Catalogue): Generator<string> {
  yield 'set autoinstall_known_extensions = false';
  yield 'set autoload_known_extensions = false';
  yield 'set threads = 1';
  yield `attach ${literal(file)} as catalogue (block_size ${BLOCK_BYTES})`;
  yield 'use catalogue';
  const local = `replace(split_part(address, '?', 1), ${literal(`${url}/`)}, ${literal(`${folder}/`)})`;
  yield `create temp macro read_parquet(address) as table select * from parquet_scan(${local})`;
  const schemas = new Set([...tables, ...views].map(({ schema }) => schema));
  for (const schema of schemas) if (schema !== MAIN) yield `create schema ${quoted(schema)}`;
  for (const table of tables) yield* tableStatements(table);
  for (const view of views) yield* viewStatements(view);
  yield 'use memory';
  yield 'detach catalogue';
}

const nameIn = (schema: string, name: string): string => `${quoted(schema)}.${quoted(name)}`;

function* tableStatements({ schema, name, comment, columns, rows }: CatalogueTable): Generator<string> {
  const table = nameIn(schema, name);
  yield `create table ${table} (${columns.map(([column, type]) => `${quoted(column)} ${type}`).join(', ')})`;
  yield `comment on table ${table} is ${literal(comment)}`;
  if (rows.length === 0) return;
  yield `insert into ${table} values ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`;
}

function* viewStatements({ schema, name, address, comment, columns }: CatalogueView): Generator<string> {
  const view = nameIn(schema, name);
  yield `create view ${view} as select * from read_parquet(${literal(address)})`;
  yield `comment on view ${view} is ${literal(comment)}`;
  for (const column of columns)
    yield `comment on column ${view}.${quoted(column.name)} is ${literal(column.comment)}`;
}
