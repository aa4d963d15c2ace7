// The pipeline's own small tables, in the warehouse file next to the rows that they describe.
import { quoted } from '../sql-text.ts';
import type { StateRow, StateTable, StateTables } from '../warehouse.ts';
import type { DuckDb } from './session.ts';

export function stateTables(db: DuckDb): StateTables {
  const prepared = new Set<string>();
  const add = async ({ name, columns }: StateTable, rows: readonly StateRow[]): Promise<void> => {
    if (rows.length === 0) return;
    await db.append(
      name,
      columns.map((column) => ({ ...column, values: rows.map((row) => row[column.name] ?? null) })),
    );
  };
  return {
    async prepare({ name, columns }) {
      if (prepared.has(name)) return;
      const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
      await db.execute(`create table if not exists ${name} (${typed.join(', ')})`);
      // In a transaction it may still be rolled back.
      if (!db.isInTransaction) prepared.add(name);
    },
    rows: (sql) => db.rows(sql),
    add,
    replace: (table, rows, where = 'true') =>
      db.atomic(async () => {
        await db.execute(`delete from ${table.name} where ${where}`);
        await add(table, rows);
      }),
  };
}
