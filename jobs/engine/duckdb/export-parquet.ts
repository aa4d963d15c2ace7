// Writes rows given as JSON to a Parquet file.
import type { Column, ColumnType } from '../../../snapshots/columns.ts';
import type { Json } from '../../../snapshots/layout.ts';
import { literal, quoted } from '../sql-text.ts';
import type { ParquetTable } from '../warehouse.ts';
import type { DuckDb } from './session.ts';

/** A temporary table: nothing of it is written to the warehouse. */
const LINES = 'main.table_line';

export async function exportParquet(db: DuckDb, { file, columns, lines }: ParquetTable): Promise<void> {
  const fields = columns.map(({ name }) => `(r).${quoted(name)} as ${quoted(name)}`).join(', ');
  try {
    await db.execute(`create or replace temp table table_line (line varchar)`);
    await db.append(LINES, [{ name: 'line', type: 'VARCHAR', values: lines }]);
    await db.execute(
      `copy (select ${fields} from (select from_json_strict(line, ${literal(structureOf(columns))}) as r from ${LINES}))
       to ${literal(file)} (format parquet, compression zstd)`,
    );
  } finally {
    await db.execute(`drop table if exists ${LINES}`);
  }
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
