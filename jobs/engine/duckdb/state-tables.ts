// The pipeline's own small tables, in the warehouse file next to the rows that they describe.
import { literal, quoted } from '../sql-text.ts';
import type { StateRow, StateTable, StateTables } from '../warehouse.ts';
import type { DuckDb } from './session.ts';

/** More rows are faster through the appender. */
const MAX_LITERALS = 64;

export function stateTables(db: DuckDb): StateTables {
  const prepared = new Set<string>();
  return {
    async prepare({ name, columns }) {
      if (prepared.has(name)) return;
      const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
      await db.execute(`create table if not exists ${name} (${typed.join(', ')})`);
      // Inside a transaction, the creation may still be rolled back.
      if (!db.isInTransaction) prepared.add(name);
    },
    rows: (sql) => db.rows(sql),
    add: (table, rows) => (rows.length === 0 ? Promise.resolve() : insert(db, table, rows)),
    async replace(table, rows, where = 'true') {
      const remove = async () => void (await db.execute(`delete from ${table.name} where ${where}`));
      if (rows.length === 0) await remove();
      else
        await db.atomic(async () => {
          await remove();
          await insert(db, table, rows);
        });
    },
  };
}

async function insert(db: DuckDb, { name, columns }: StateTable, rows: readonly StateRow[]): Promise<void> {
  if (rows.length <= MAX_LITERALS && rows.every((row) => isPlain(row, columns))) {
    await db.execute(insertSql(name, columns, rows));
    return;
  }
  await db.append(
    name,
    columns.map((column) => ({ ...column, values: rows.map((row) => row[column.name] ?? null) })),
  );
}

const valuesOf = (columns: StateTable['columns'], row: StateRow) =>
  columns.map(({ name }) => row[name] ?? null);

/** Whether every value can be written unchanged as a literal. Other rows go through the appender, which checks their values. */
const isPlain = (row: StateRow, columns: StateTable['columns']): boolean =>
  columns.every(({ name, type }) => {
    const value = row[name] ?? null;
    if (value === null) return true;
    if (type === 'VARCHAR') return typeof value === 'string' && !value.includes('\0');
    return type === 'BIGINT' ? Number.isSafeInteger(value) : type === 'BOOLEAN' && typeof value === 'boolean';
  });

function insertSql(table: string, columns: StateTable['columns'], rows: readonly StateRow[]): string {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const values = rows.map((row) => `(${valuesOf(columns, row).map(literal).join(', ')})`);
  return `insert into ${table} (${names}) values ${values.join(', ')}`;
}
