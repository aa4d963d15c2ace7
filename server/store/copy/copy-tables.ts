// Copies all tables of a file store into the empty tables of a PostgreSQL store, and reads them back. The list of tables is taken from the
// file, so none is missed.
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailableError } from '../store.ts';
import type { Connection, Value } from '../tables/session.ts';

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Conditions that hold for the initial row of a table that has never been changed. */
const INITIAL: ReadonlyMap<string, string> = new Map([
  ['audit_head', 'seq = 0'],
  ['key_revision', 'first = last'],
  ['webhook_state', 'cursor is null and revision = 0'],
]);
/** Rows written or read back at a time. */
const BATCH = 200;

/**
 * Call this in one transaction on the target. The source must not change meanwhile.
 * @throws StoreUnavailableError if the target is not empty, has other tables, or returns other rows than were written.
 */
export async function copyTables(
  source: DatabaseSync,
  target: Connection,
  database: string,
): Promise<CopiedTable[]> {
  const tables: Table[] = [];
  for (const name of tableNames(source)) tables.push(await tableOf(name, { source, target, database }));
  for (const { name } of tables) await requireEmpty(target, name, database);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    if (INITIAL.has(table.name)) await target.run(`delete from ${table.name}`);
    const written = await write(source, target, table);
    const there = await readBack(target, table);
    if (!there.equals(written))
      throw new StoreUnavailableError(
        `${database} returned other rows of ${table.name} than were written: ${there.rows} of ${written.rows}, or other values. Nothing was copied.`,
      );
    await continueNumbers(target, table);
    copied.push({ name: table.name, rows: written.rows });
  }
  return copied;
}

const tableNames = (source: DatabaseSync): string[] =>
  source
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name`)
    .all()
    .map(({ name }) => String(name));

/** The target may have an additional column for `rowid`, which SQLite numbers implicitly; all other columns must match. */
async function tableOf(
  name: string,
  {
    source,
    target,
    database,
  }: { readonly source: DatabaseSync; readonly target: Connection; readonly database: string },
): Promise<Table> {
  const rows = await target.all(
    `select column_name from information_schema.columns
     where table_schema = current_schema() and table_name = ? order by ordinal_position`,
    name,
  );
  const columns = rows.map(({ column_name }) => String(column_name));
  const own = source.prepare('select name from pragma_table_info(?)').all(name);
  const names = own.map((column) => String(column['name']));
  const isSame = names.length > 0 && names.every((column) => columns.includes(column));
  if (!isSame || columns.some((column) => column !== 'rowid' && !names.includes(column)))
    throw new StoreUnavailableError(
      `${database} has other columns in ${name} than the file: both must be of the same version of this service.`,
    );
  return { name, columns };
}

async function requireEmpty(target: Connection, name: string, database: string): Promise<void> {
  const initial = INITIAL.get(name) ?? 'false';
  const row = await target.get(`select exists (select 1 from ${name} where not (${initial})) as is_used`);
  if (row?.['is_used'] !== false)
    throw new StoreUnavailableError(
      `${database} is not empty: ${name} has rows. Nothing was copied; name a database or schema that no server has used yet.`,
    );
}

async function write(source: DatabaseSync, target: Connection, table: Table): Promise<RowTally> {
  const { name, columns } = table;
  const tally = new RowTally();
  const put = async (rows: readonly (readonly Value[])[]) => {
    if (rows.length === 0) return;
    const one = `(${columns.map(() => '?').join(', ')})`;
    const sql = `insert into ${name} (${columns.join(', ')}) overriding system value values ${rows.map(() => one).join(', ')}`;
    await target.run(sql, ...rows.flat());
  };
  let batch: Value[][] = [];
  for (const row of source.prepare(`select ${columns.join(', ')} from ${name}`).iterate()) {
    const values = columns.map((column) => row[column] as Value);
    tally.add(values);
    batch.push(values);
    if (batch.length < BATCH) continue;
    await put(batch);
    batch = [];
  }
  await put(batch);
  return tally;
}

async function readBack(target: Connection, { name, columns }: Table): Promise<RowTally> {
  const tally = new RowTally();
  await target.run(`declare read_back no scroll cursor for select ${columns.join(', ')} from ${name}`);
  for (;;) {
    const rows = await target.all(`fetch ${BATCH} from read_back`);
    for (const row of rows) tally.add(columns.map((column) => row[column]));
    if (rows.length < BATCH) break;
  }
  await target.run('close read_back');
  return tally;
}

/** Rows added later are numbered after the copied ones. */
async function continueNumbers(target: Connection, { name }: Table): Promise<void> {
  const numbered = await target.all(
    `select column_name from information_schema.columns
     where table_schema = current_schema() and table_name = ? and is_identity = 'YES'`,
    name,
  );
  for (const { column_name: column } of numbered)
    await target.all(
      `select setval(pg_get_serial_sequence(?, ?), max(${column})) from ${name} having max(${column}) is not null`,
      name,
      String(column),
    );
}

// The number of rows of a table, and an order-independent hash over them, because databases sort text differently.

const MODULUS = 1n << 256n;

class RowTally {
  #rows = 0;
  #sum = 0n;

  get rows(): number {
    return this.#rows;
  }

  /** Values in the order of the table's columns. */
  add(values: readonly unknown[]): void {
    const text = JSON.stringify(values.map(plain));
    const hash = createHash('sha256').update(text).digest('hex');
    this.#rows += 1;
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS;
  }

  equals(other: RowTally): boolean {
    return this.#rows === other.#rows && this.#sum === other.#sum;
  }
}

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
