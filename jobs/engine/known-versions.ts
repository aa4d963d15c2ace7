// What is known about each version of a table: the values of its columns and whether it has rows. Each is asked of the engine once.
import type { Row } from './rows.ts';
import type { TableVersions, ValuesOf } from './versions.ts';

/** A table that was never written. */
export const UNWRITTEN = '0';

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

type Values = Awaited<ReturnType<TableVersions['values']>>;

export abstract class KnownVersions implements TableVersions {
  readonly #gaps = new Map<string, Gaps>();
  readonly #values = new Map<string, { readonly version: string; readonly values: Values }>();
  /** Version of the tables that have no rows in it, or that have some. */
  readonly #filled = new Map<string, { readonly version: string; readonly hasRows: boolean }>();

  abstract of(table: string): Promise<string>;
  protected abstract rows(sql: string): Promise<readonly Row[]>;
  /** Null when there is no such table. */
  protected abstract columnsOf(table: string): Promise<readonly string[] | null>;
  /** Whether the version says nothing about the rows. */
  protected abstract isBound(table: string): boolean;

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

  async values({ table, column, expression }: ValuesOf): Promise<Values> {
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
    if (version === UNWRITTEN || this.isBound(table)) return true;
    const known = this.#filled.get(table);
    if (known?.version === version) return known.hasRows;
    const rows = await this.rows(`select 1 as one from ${table} limit 1`);
    this.#filled.set(table, { version, hasRows: rows.length > 0 });
    return rows.length > 0;
  }

  /** Whether it has rows, as far as that is known without asking. */
  async knownRows(table: string): Promise<'none' | 'some' | 'unknown'> {
    const known = this.#filled.get(table);
    if (known?.version !== (await this.of(table))) return 'unknown';
    return known.hasRows ? 'some' : 'none';
  }

  protected noteRows(table: string, version: string, hasRows: boolean): void {
    this.#filled.set(table, { version, hasRows });
  }

  protected forgetKnown(): void {
    this.#gaps.clear();
    this.#values.clear();
    this.#filled.clear();
  }

  async #nextValue({ table, column, expression }: ValuesOf, operator: string, at: number) {
    if (!(await this.#hasColumn(table, column))) return undefined;
    const [row] = await this.rows(
      `select min(${expression}) as next from ${table} where ${expression} ${operator} ${at}`,
    );
    const next = row?.['next'] ?? null;
    return next === null ? null : Number(next);
  }

  async #distinctValues({ table, column, expression }: ValuesOf): Promise<Values> {
    if (!(await this.#hasColumn(table, column))) return undefined;
    const rows = await this.rows(
      `select distinct ${expression} as value from ${table} where ${expression} is not null limit ${MAX_VALUES + 1}`,
    );
    return rows.length > MAX_VALUES ? null : rows.map(({ value }) => Number(value));
  }

  async #hasColumn(table: string, column: string): Promise<boolean> {
    const columns = await this.columnsOf(table);
    return columns?.some((name) => name.toLowerCase() === column) === true;
  }
}
