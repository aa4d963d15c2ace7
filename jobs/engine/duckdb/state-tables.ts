// The pipeline's own small tables, in the warehouse file next to the rows that they describe. Only one process writes them, so rows that
// were read or written are kept in memory until the next change: a run that finds nothing new neither reads nor writes most of them.
import type { Row } from '../rows.ts';
import { literal, quoted } from '../sql-text.ts';
import type { StateRow, StateTable, StateTables } from '../warehouse.ts';
import type { DuckDb } from './session.ts';
import { splitName } from './tables.ts';

export interface DuckDbState extends StateTables {
  /** Discards what is kept in memory after a failed transaction, which has restored the earlier rows. */
  forget(): void;
}

const MAX_ANSWERS = 64;
const MAX_ROWS = 10_000;
/** More rows are faster through the appender. */
const MAX_LITERALS = 64;

export function stateTables(db: DuckDb): DuckDbState {
  const prepared = new Set<string>();
  const cached = new CachedRows();
  return {
    async prepare({ name, columns }) {
      if (prepared.has(name)) return;
      const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`);
      await db.execute(`create table if not exists ${name} (${typed.join(', ')})`);
      // Inside a transaction, the creation may still be rolled back.
      if (!db.isInTransaction) prepared.add(name);
    },
    async rows(sql) {
      const answer = cached.answers.get(sql) ?? (await db.rows(sql));
      cached.answered(sql, answer);
      return answer;
    },
    async add(table, rows) {
      if (rows.length === 0) return;
      cached.change(table);
      await insert(db, table, rows);
    },
    replace: (table, rows, where) =>
      where === undefined
        ? replaceAll({ db, cached }, table, rows)
        : replaceSome({ db, cached }, table, { rows, where }),
    forget() {
      cached.answers.clear();
      cached.contents.clear();
    },
  };
}

interface Tools {
  readonly db: DuckDb;
  readonly cached: CachedRows;
}

async function replaceAll(
  { db, cached }: Tools,
  table: StateTable,
  rows: readonly StateRow[],
): Promise<void> {
  const before = cached.contents.get(table.name);
  if (before !== undefined && isSame(table, before, rows)) return;
  const [row] = rows;
  if (before?.length === 0) {
    cached.change(table);
    await insert(db, table, rows);
  } else if (before?.length === 1 && rows.length === 1 && row !== undefined && isPlain(row, table.columns)) {
    cached.change(table);
    await db.execute(updateSql(table, row));
  } else await replaceSome({ db, cached }, table, { rows, where: 'true' });
  cached.contents.set(table.name, rows);
}

async function replaceSome(
  { db, cached }: Tools,
  table: StateTable,
  { rows, where }: { readonly rows: readonly StateRow[]; readonly where: string },
): Promise<void> {
  cached.change(table);
  const remove = () => db.execute(`delete from ${table.name} where ${where}`);
  if (rows.length === 0) await remove();
  else
    await db.atomic(async () => {
      await remove();
      await insert(db, table, rows);
    });
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

class CachedRows {
  /** Results by the text of the query. */
  readonly answers = new Map<string, readonly Row[]>();
  /** Rows of tables that were replaced as a whole, by name. */
  readonly contents = new Map<string, readonly StateRow[]>();

  answered(sql: string, rows: readonly Row[]): void {
    if (rows.length > MAX_ROWS) return;
    if (this.answers.size >= MAX_ANSWERS) this.answers.clear();
    this.answers.set(sql, rows);
  }

  change(table: StateTable): void {
    const { name } = splitName(table.name);
    this.contents.delete(table.name);
    for (const sql of this.answers.keys()) if (sql.toLowerCase().includes(name)) this.answers.delete(sql);
  }
}

const valuesOf = (columns: StateTable['columns'], row: StateRow) =>
  columns.map(({ name }) => row[name] ?? null);

const isSame = ({ columns }: StateTable, a: readonly StateRow[], b: readonly StateRow[]): boolean =>
  a.length === b.length &&
  a.every((row, index) => {
    const other = valuesOf(columns, b[index] ?? {});
    return valuesOf(columns, row).every((value, index) => value === other[index]);
  });

/** Whether every value can be written unchanged as a literal. Other rows go through the appender, which checks their values. */
const isPlain = (row: StateRow, columns: StateTable['columns']): boolean =>
  columns.every(({ name, type }) => {
    const value = row[name] ?? null;
    if (value === null) return true;
    if (type === 'VARCHAR') return typeof value === 'string' && !value.includes('\0');
    return type === 'BIGINT' ? Number.isSafeInteger(value) : type === 'BOOLEAN' && typeof value === 'boolean';
  });

const updateSql = ({ name, columns }: StateTable, row: StateRow): string =>
  `update ${name} set ${columns.map((column) => `${quoted(column.name)} = ${literal(row[column.name] ?? null)}`).join(', ')}`;

function insertSql(table: string, columns: StateTable['columns'], rows: readonly StateRow[]): string {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const values = rows.map((row) => `(${valuesOf(columns, row).map(literal).join(', ')})`);
  return `insert into ${table} (${names}) values ${values.join(', ')}`;
}
