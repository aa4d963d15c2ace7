// Names of tables, and the columns behind them.
import type { DuckDBConnection } from '@duckdb/node-api';
import { EngineError } from '../errors.ts';
import { quoted } from '../sql-text.ts';

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** Splits `obs.feed_round` into its two parts. */
export function splitName(table: string): TableName {
  const [schema, name, more] = table.split('.');
  if (!schema || !name || more !== undefined) throw new EngineError(`"${table}" is not schema.table.`);
  return { schema, name };
}

/**
 * Columns in their order; null when there is no such table. Binds a query that reads nothing, because the catalogue's own views list the
 * columns of every table before a condition filters them.
 */
export async function tableColumns(
  connection: DuckDBConnection,
  { schema, name }: TableName,
): Promise<readonly string[] | null> {
  try {
    return (await connection.run(`from ${quoted(schema)}.${quoted(name)} limit 0`)).columnNames();
  } catch (cause) {
    if (String(cause).includes('Catalog Error')) return null;
    throw cause;
  }
}
