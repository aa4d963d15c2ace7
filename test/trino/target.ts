// Case files on Trino: views of the given rows, and values converted to what DuckDB would have returned.
import type { ColumnType } from '../../jobs/engine/rows.ts';
import { structFields, trinoType } from '../../jobs/engine/trino/types.ts';
import type { Json } from '../../platform/base/json.ts';
import type { CaseRow } from '../support/case-file.ts';
import type { CaseTarget } from '../support/case-runner.ts';
import { sqlLiteral } from '../support/case-sql.ts';
import { type Place, query } from './client.ts';

const SCHEMAS = ['landing', 'policy', 'obs', 'derived', 'out', 'event'];

/** Creates the schemas and resolves to a target that has the catalogue to itself. */
export async function trinoTarget(location: Place): Promise<CaseTarget> {
  for (const schema of SCHEMAS) await query(location, `create schema if not exists ${schema}`);
  const filled = new Map<string, string>();
  return {
    async fill(table, columns, rows) {
      const statement = viewStatement(table, columns, rows);
      if (filled.get(table) === statement) return;
      // Forgotten first: what a failed statement leaves is not known.
      filled.delete(table);
      await query(location, statement);
      filled.set(table, statement);
    },
    async rows(sql, columns) {
      const rows = await query(location, sql);
      return rows.map((row) => readRow(row, columns));
    },
  };
}

/** A view costs a fraction of a table and holds no memory. */
function viewStatement(table: string, columns: readonly ColumnType[], rows: readonly CaseRow[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const tuple = (row: CaseRow) =>
    `(${columns.map(({ name, type }) => `cast(${sqlLiteral(row[name] ?? null, type)} as ${trinoType(type)})`).join(', ')})`;
  const values = (rows.length === 0 ? [{}] : rows).map(tuple).join(', ');
  const filter = rows.length === 0 ? ' where false' : '';
  return `create or replace view ${table} as select * from (values ${values}) as given (${names})${filter}`;
}

function readRow(row: readonly unknown[], columns: readonly ColumnType[]): CaseRow {
  if (row.length !== columns.length)
    throw new Error(`Trino returns ${row.length} columns, DuckDB ${columns.length}`);
  return Object.fromEntries(
    columns.map(({ name, type }, index) => [name, readValue(row[index] as Json, type)]),
  );
}

/** Rows come as arrays, decimals as text; a HUGEINT of DuckDB is a BIGINT here. */
function readValue(value: Json, type: string): Json {
  if (value === null) return null;
  if (type.endsWith('[]'))
    return (value as readonly Json[]).map((item) => readValue(item, type.slice(0, -2)));
  if (type.startsWith('STRUCT(')) {
    const values = value as readonly Json[];
    return Object.fromEntries(
      structFields(type).map((field, index) => [field.name, readValue(values[index] ?? null, field.type)]),
    );
  }
  if (type === 'JSON') return JSON.parse(String(value)) as Json;
  return type === 'HUGEINT' || type.startsWith('DECIMAL') ? String(value) : value;
}
