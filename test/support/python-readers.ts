// Third-party readers of published forms, files and feeds, such as pyarrow, DuckDB's Python package and feedparser, in their own environment. Either
// `npm run install:readers` creates it, or READERS_PYTHON names its Python. Without it, tests are skipped with a notice.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type ColumnType, columnsOf } from '../../snapshots/columns.ts';
import type { Json } from '../../platform/base/json.ts';
import type { TableInfo } from '../../snapshots/layout.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const READERS_FOLDER = join(PROJECT, 'var/readers');
export const READERS_PYTHON = process.env['READERS_PYTHON'] ?? join(READERS_FOLDER, 'bin/python');
const SCRIPT = fileURLToPath(new URL('./read-forms.py', import.meta.url));

type Row = { readonly [column: string]: Json };

/** What one reader saw of one form. CSV and NDJSON carry no types, and only the rows of polars are compared. */
interface Read {
  readonly rows: readonly Row[];
  readonly types?: readonly (readonly [column: string, type: string])[];
  /** Columns that it cannot read. */
  readonly left_out?: readonly string[];
}

interface Reads {
  readonly [form: string]: { readonly [reader: string]: Read };
}

/** The expected contents of a dataset. */
export interface ExpectedTable {
  readonly table: Pick<TableInfo, 'key' | 'row'>;
  /** Including the key columns. */
  readonly rows: readonly Row[];
}

/**
 * Reads `<name>.parquet`, `.arrow`, `.csv` and `.ndjson` of every table in the folder and compares rows and types. Values without a fixed
 * form are JSON in every form; in CSV, all nested values are.
 */
export function expectReadersToAgree(dir: string, tables: { readonly [name: string]: ExpectedTable }): void {
  const types = Object.fromEntries(Object.entries(tables).map(([name, { table }]) => [name, typesOf(table)]));
  writeFileSync(join(dir, 'tables.json'), JSON.stringify(types));
  const output = execFileSync(READERS_PYTHON, [SCRIPT, dir], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const readsOf: { readonly [name: string]: Reads } = JSON.parse(output);
  for (const [name, { table, rows }] of Object.entries(tables)) {
    const columns = types[name] ?? [];
    const expected = rows.map((row) => wholeRow(row, table));
    for (const [form, readers] of Object.entries(readsOf[name] ?? {}))
      for (const [reader, read] of Object.entries(readers)) {
        const seen = { ...read, rows: read.rows.map((row) => wholeRow(row, table)) };
        expectSame(seen, { rows: expected, columns, form, where: `${name}.${form} by ${reader}` });
      }
  }
}

/** Forms without types of their own. */
const isBare = (form: string): boolean => form === 'csv' || form === 'ndjson';

/** A row as columns hold it: a struct has all its members, null where the row omits one. Some forms hold structs as JSON. */
function wholeRow(row: Row, table: ExpectedTable['table']): Row {
  return Object.fromEntries(
    tableColumns(table).map(({ name, type }) => [name, whole(row[name] ?? null, type)]),
  );
}

function whole(given: Json, type: ColumnType): Json {
  const value = type.kind === 'list' || type.kind === 'struct' ? parsed(given) : given;
  if (type.kind === 'list') return Array.isArray(value) ? value.map((item) => whole(item, type.item)) : value;
  if (type.kind !== 'struct' || value === null || typeof value !== 'object' || Array.isArray(value))
    return value;
  const members = value as Row;
  return Object.fromEntries(
    type.columns.map(({ name, type: member }) => [name, whole(members[name] ?? null, member)]),
  );
}

interface Comparison {
  readonly rows: readonly Row[];
  readonly columns: readonly (readonly [column: string, type: string])[];
  readonly form: string;
  readonly where: string;
}

function expectSame(read: Read, { rows, columns, form, where }: Comparison): void {
  const isText = (type: string) => type === 'json' || (isBare(form) && type.includes('<'));
  const compared = columns.filter(([name]) => read.left_out?.includes(name) !== true);
  const only = (row: Row, take: (value: Json, type: string) => Json) =>
    Object.fromEntries(compared.map(([name, type]) => [name, take(row[name] ?? null, type)]));
  const seen = read.rows.map((row) => only(row, (value, type) => (isText(type) ? parsed(value) : value)));
  expect(seen, where).toEqual(rows.map((row) => only(row, (value) => value)));
  if (isBare(form) || read.types === undefined) return;
  expect(read.types, where).toEqual(columns.map(([name, type]) => [name, type === 'json' ? 'string' : type]));
}

const parsed = (value: Json): Json => (typeof value === 'string' ? (JSON.parse(value) as Json) : value);

const tableColumns = (table: ExpectedTable['table']) =>
  columnsOf({ ...table, title: '', separator: '', shape: 'list' });

const typesOf = (table: ExpectedTable['table']) =>
  tableColumns(table).map(({ name, type }) => [name, arrowType(type)] as const);

const ARROW = { text: 'string', json: 'json', integer: 'int64', number: 'double', boolean: 'bool' } as const;

function arrowType(type: ColumnType): string {
  if (type.kind === 'list') return `list<item: ${arrowType(type.item)}>`;
  if (type.kind !== 'struct') return ARROW[type.kind];
  const members = type.columns.map(({ name, type: member }) => `${name}: ${arrowType(member)}`);
  return `struct<${members.join(', ')}>`;
}

/** A `describe` that is skipped, with the reason in its name, if the readers are not installed. */
export function describeReaders(name: string, fn: () => void): void {
  if (existsSync(READERS_PYTHON)) describe(name, fn);
  else
    describe.skip(
      `${name} (skipped: no pyarrow, polars, duckdb and openapi-core: npm run install:readers)`,
      fn,
    );
}
