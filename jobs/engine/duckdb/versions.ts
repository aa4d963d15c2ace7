// Versions of tables: a number for each model's table, written in the transaction that changes its rows, and a hash for each policy table.
import { createHash } from 'node:crypto';
import { literal } from '../sql-text.ts';
import type { TableVersions, ValuesOf } from '../versions.ts';
import type { DuckDb } from './session.ts';

/** A table that was never written. */
const UNWRITTEN = '0';

/** From `at` to `next` there is no value. */
interface Gap {
  readonly at: number;
  readonly next: number | null | undefined;
}

interface Gaps {
  readonly version: string;
  readonly list: Gap[];
}

/** Queries ask about a few times each: the end of the window, some days before it, a few durations before those. */
const MAX_GAPS = 64;
const MAX_VALUES = 64;

interface KnownValues {
  readonly version: string;
  readonly values: Awaited<ReturnType<TableVersions['values']>>;
}

export class Versions implements TableVersions {
  readonly #db: DuckDb;
  /** What the warehouse holds; undefined until it is read. */
  #stored: Map<string, number> | undefined;
  readonly #bound = new Map<string, string>();
  readonly #gaps = new Map<string, Gaps>();
  readonly #values = new Map<string, KnownValues>();
  /** Version of the tables that have no rows in it, or that have some. */
  readonly #filled = new Map<string, { readonly version: string; readonly hasRows: boolean }>();

  constructor(db: DuckDb) {
    this.#db = db;
  }

  async of(table: string): Promise<string> {
    return this.#bound.get(table) ?? String((await this.#read()).get(table) ?? UNWRITTEN);
  }

  async next(
    { table, column, expression }: ValuesOf,
    { at, side }: Parameters<TableVersions['next']>[1],
  ): Promise<number | null | undefined> {
    const version = await this.of(table);
    const key = `${side} ${table} ${expression}`;
    const known = this.#gaps.get(key);
    const gaps = known?.version === version ? known.list : [];
    const gap = gaps.find((one) => one.at <= at && (one.next ?? Number.POSITIVE_INFINITY) > at);
    if (gap !== undefined) return gap.next;
    const next = await this.#nextValue({ table, column, expression }, side === 'from' ? '>=' : '>', at);
    this.#gaps.set(key, { version, list: [{ at, next }, ...gaps].slice(0, MAX_GAPS) });
    return next;
  }

  async values({ table, column, expression }: ValuesOf): Promise<KnownValues['values']> {
    const version = await this.of(table);
    const key = `${table} ${expression}`;
    const known = this.#values.get(key);
    if (known?.version === version) return known.values;
    const values = await this.#distinctValues({ table, column, expression });
    this.#values.set(key, { version, values });
    return values;
  }

  async hasRows(table: string): Promise<boolean> {
    const version = await this.of(table);
    // What changes without a version may have rows by now.
    if (version === UNWRITTEN || this.#bound.has(table)) return true;
    const known = this.#filled.get(table);
    if (known?.version === version) return known.hasRows;
    const rows = await this.#db.rows(`select 1 as one from ${table} limit 1`);
    this.#filled.set(table, { version, hasRows: rows.length > 0 });
    return rows.length > 0;
  }

  /** The tables were just created. */
  async start(tables: readonly string[]): Promise<void> {
    await this.bump(tables);
    for (const table of tables) this.#filled.set(table, { version: await this.of(table), hasRows: false });
  }

  /** To be called in the transaction that changes the rows. */
  async bump(tables: readonly string[]): Promise<void> {
    if (tables.length === 0) return;
    const stored = await this.#read();
    let last = Math.max(0, ...stored.values());
    const rows = tables.map((table) => {
      last += 1;
      stored.set(table, last);
      return `(${literal(table)}, ${last})`;
    });
    const names = tables.map(literal).join(', ');
    await this.#db.execute(
      `delete from meta.version where table_name in (${names}); insert into meta.version values ${rows.join(', ')}`,
    );
  }

  bound(table: string, contents: unknown): void {
    this.#bound.set(table, createHash('sha256').update(JSON.stringify(contents)).digest('hex'));
  }

  /** After a transaction that failed: the warehouse holds the versions of before. */
  forget(): void {
    this.#stored = undefined;
    this.#gaps.clear();
    this.#values.clear();
    this.#filled.clear();
  }

  async #read(): Promise<Map<string, number>> {
    if (this.#stored !== undefined) return this.#stored;
    await this.#db.execute('create table if not exists meta.version (table_name varchar, version bigint)');
    const rows = await this.#db.rows('select table_name, version from meta.version');
    this.#stored = new Map(rows.map((row) => [String(row['table_name']), Number(row['version'])]));
    return this.#stored;
  }

  async #nextValue({ table, column, expression }: ValuesOf, operator: string, at: number) {
    if (!(await this.#hasColumn(table, column))) return undefined;
    const [row] = await this.#db.rows(
      `select min(${expression}) as next from ${table} where ${expression} ${operator} ${at}`,
    );
    const next = row?.['next'] ?? null;
    return next === null ? null : Number(next);
  }

  async #distinctValues({ table, column, expression }: ValuesOf): Promise<KnownValues['values']> {
    if (!(await this.#hasColumn(table, column))) return undefined;
    const rows = await this.#db.rows(
      `select distinct ${expression} as value from ${table} where ${expression} is not null limit ${MAX_VALUES + 1}`,
    );
    return rows.length > MAX_VALUES ? null : rows.map(({ value }) => Number(value));
  }

  async #hasColumn(table: string, column: string): Promise<boolean> {
    const columns = await this.#db.tableColumns(table);
    return columns?.some((name) => name.toLowerCase() === column) === true;
  }
}
