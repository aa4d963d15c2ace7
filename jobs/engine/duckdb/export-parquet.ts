// Writes rows given as JSON to a Parquet file.
import type { Column, ColumnType } from '../../../snapshots/columns.ts';
import type { Json } from '../../../platform/base/json.ts';
import { literal, quoted } from '../sql-text.ts';
import type { ParquetTable } from '../warehouse.ts';
import type { DuckDb } from './session.ts';

/** A temporary table, so nothing is written to the warehouse. */
const LINES = 'main.table_line';

/** Above these limits, a temporary table is faster than literals. */
const MAX_LITERALS = 256;
const MAX_LITERAL_LENGTH = 100_000;

export async function exportParquet(db: DuckDb, { file, columns, lines }: ParquetTable): Promise<void> {
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  if (lines.length > 0 && lines.length <= MAX_LITERALS && length <= MAX_LITERAL_LENGTH) {
    const values = lines.map((line) => `(${literal(line)})`).join(', ');
    await db.execute(copySql({ file, columns, from: `(values ${values}) as given (line)` }));
    return;
  }
  try {
    await db.execute(`create or replace temp table table_line (line varchar)`);
    await db.append(LINES, [{ name: 'line', type: 'VARCHAR', values: lines }]);
    await db.execute(copySql({ file, columns, from: LINES }));
  } finally {
    await db.execute(`drop table if exists ${LINES}`);
  }
}

interface Copy extends Pick<ParquetTable, 'file' | 'columns'> {
  /** A relation with one column, `line`. */
  readonly from: string;
}

function copySql({ file, columns, from }: Copy): string {
  const fields = columns.map(({ name }) => `(r).${quoted(name)} as ${quoted(name)}`).join(', ');
  return `copy (select ${fields} from (select from_json_strict(line, ${literal(structureOf(columns))}) as r from ${from}))
       to ${literal(file)} (format parquet, compression zstd)`;
}

/** In the format of `from_json`: `{"pair":"VARCHAR","price":{"min":"DOUBLE"}}`. */
const structureOf = (columns: readonly Column[]): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name, type }) => [name, sqlType(type)])));

const SQL_TYPES = {
  text: 'VARCHAR',
  json: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};

function sqlType(type: ColumnType): Json {
  switch (type.kind) {
    case 'list':
      return [sqlType(type.item)];
    case 'struct':
      return Object.fromEntries(type.columns.map(({ name, type: inner }) => [name, sqlType(inner)]));
    default:
      return SQL_TYPES[type.kind];
  }
}
