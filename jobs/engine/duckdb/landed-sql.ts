// Landed files as a relation: what a model reads as `landing.<table>`.

import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../sql-text.ts';

export const list = (values: readonly string[]): string => `[${values.map(literal).join(', ')}]`;

/** Columns that every landed row has in addition to its table's fields. */
export const LANDED_COLUMNS = [
  { name: 'source_id', type: 'VARCHAR' },
  { name: 'fetched_at', type: 'BIGINT' },
] as const;

/** A relation over landed files, typed and empty when there is none. */
export function landedSql(table: RawTable, files: readonly string[]): string {
  const columns = [...table.fields, ...LANDED_COLUMNS];
  const empty = `select ${columns.map(({ name, type }) => `cast(null as ${type}) as ${quoted(name)}`).join(', ')} where false`;
  if (files.length === 0) return empty;
  const names = columns.map((column) => quoted(column.name)).join(', ');
  // Files written before a field was added lack it: the empty relation provides its name and type.
  const rows = `select * from read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false)`;
  return `select ${names} from (${rows} union all by name ${empty})`;
}
