// Text of SQL: literals, names, and the columns of a raw table as they are kept in Parquet.
import type { RawField, RawTable } from '../define.ts';

export const literal = (value: string | number | boolean | null): string => {
  if (value === null) return 'null';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
};

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const list = (values: readonly string[]): string => `[${values.map(literal).join(', ')}]`;

export const computedFields = (table: RawTable): RawField[] =>
  table.fields.filter((field) => field.computed !== undefined);

/** Fields that the table's enrichment answers. */
export const filledFields = ({ fields, enrichment }: RawTable): RawField[] =>
  fields.filter((field) => enrichment?.fills.includes(field.name) ?? false);

/** What every landed row carries beside the fields of its table. */
export const LANDED_COLUMNS = [
  { name: 'source_id', type: 'VARCHAR' },
  { name: 'fetched_at', type: 'BIGINT' },
] as const;

/** A relation over landed files, typed and empty when there is none: what a model reads as `landing.<table>`. */
export function landedSql(table: RawTable, files: readonly string[]): string {
  const columns = [...table.fields, ...LANDED_COLUMNS];
  const empty = `select ${columns.map(({ name, type }) => `cast(null as ${type}) as ${quoted(name)}`).join(', ')} where false`;
  if (files.length === 0) return empty;
  const names = columns.map((column) => quoted(column.name)).join(', ');
  // Files from before a field was added do not have it: the empty relation brings its name and type.
  const rows = `select * from read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false)`;
  return `select ${names} from (${rows} union all by name ${empty})`;
}
