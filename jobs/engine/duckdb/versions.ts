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

/** Queries ask about a few times each: the end of the window, some days before it. */
const MAX_GAPS = 16;

export class Versions implements TableVersions {
  readonly #db: DuckDb;
  /** What the warehouse holds; undefined until it is read. */
  #stored: Map<string, number> | undefined;
  readonly #bound = new Map<string, string>();
  readonly #gaps = new Map<string, Gaps>();

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
  }

  async #read(): Promise<Map<string, number>> {
    if (this.#stored !== undefined) return this.#stored;
    await this.#db.execute('create table if not exists meta.version (table_name varchar, version bigint)');
    const rows = await this.#db.rows('select table_name, version from meta.version');
    this.#stored = new Map(rows.map((row) => [String(row['table_name']), Number(row['version'])]));
    return this.#stored;
  }

  async #nextValue({ table, column, expression }: ValuesOf, operator: string, at: number) {
    const columns = await this.#db.tableColumns(table);
    if (columns?.some((name) => name.toLowerCase() === column) !== true) return undefined;
    const [row] = await this.#db.rows(
      `select min(${expression}) as next from ${table} where ${expression} ${operator} ${at}`,
    );
    const next = row?.['next'] ?? null;
    return next === null ? null : Number(next);
  }
}
