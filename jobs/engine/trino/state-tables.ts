// The pipeline's own small tables, in PostgreSQL: each change is one transaction there.
import { quoted } from '../sql-text.ts';
import type { Row } from '../rows.ts';
import type { StateRow, StateTable, StateTables } from '../warehouse.ts';
import type { Database, Queryable } from './database.ts';

const TYPES = {
  VARCHAR: 'text',
  BIGINT: 'bigint',
  DOUBLE: 'double precision',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
} as const;

export function stateTables(database: Database): StateTables {
  const prepared = new Set<string>();
  return {
    async prepare({ name, columns }) {
      if (prepared.has(name)) return;
      const typed = columns.map((column) => `${quoted(column.name)} ${TYPES[column.type]}`);
      await database.query(`create table if not exists ${name} (${typed.join(', ')})`);
      await database.query(
        `create or replace trigger refuse_outdated before insert or update or delete on ${name}
         for each statement execute function refuse_outdated()`,
      );
      prepared.add(name);
    },
    rows: async (sql) => (await database.query(sql)) as readonly Row[],
    add: (table, rows) => add(database, table, rows),
    replace: (table, rows, where = 'true') =>
      database.transaction(async (transaction) => {
        await transaction.query(`delete from ${table.name} where ${where}`);
        await add(transaction, table, rows);
      }),
  };
}

/** Passes one array per column, so that one statement adds any number of rows. */
async function add(
  database: Queryable,
  { name, columns }: StateTable,
  rows: readonly StateRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const lists = columns.map(({ type }, index) => `$${index + 1}::${TYPES[type]}[]`);
  await database.query(
    `insert into ${name} (${columns.map((column) => quoted(column.name)).join(', ')}) select * from unnest(${lists.join(', ')})`,
    columns.map((column) => rows.map((row) => row[column.name] ?? null)),
  );
}
