// Versions of tables: a number for each model's table, written in the transaction that changes its rows, and a hash for each policy table.
import { createHash } from 'node:crypto';
import { ALL_ON, type SwitchedOff } from '../../../platform/base/switches.ts';
import type { Row } from '../rows.ts';
import { literal } from '../sql-text.ts';
import { CountedVersions, UNWRITTEN } from '../versions.ts';
import type { DuckDb } from './session.ts';

/** Versions of one table for which added rows are known. */
const MAX_ADDED = 64;

export class Versions extends CountedVersions {
  readonly #db: DuckDb;
  /** Versions that the warehouse holds; undefined until they are read. */
  #stored: Map<string, number> | undefined;
  /** The highest version so far, including those of failed changes: no version is used twice. */
  #last: number | undefined;
  readonly #bound = new Map<string, string>();
  /** Tables whose new versions are not in the warehouse yet. */
  readonly #unsaved = new Set<string>();
  /** By `append` model and version: the number of the first row that was added since then. This process only. */
  readonly #added = new Map<string, Map<string, number>>();

  constructor(db: DuckDb, off: SwitchedOff = ALL_ON) {
    super(off);
    this.#db = db;
  }

  async of(table: string): Promise<string> {
    return this.#bound.get(table) ?? String((await this.#read()).get(table) ?? UNWRITTEN);
  }

  /** For tables that were just created. */
  async start(tables: readonly string[]): Promise<void> {
    await this.bump(tables);
    for (const table of tables) await this.noteFilled(table, false);
  }

  /** Must be called in the transaction that changes the rows, and be followed by `save`. */
  async bump(tables: readonly string[]): Promise<void> {
    const stored = await this.#read();
    for (const table of tables) {
      this.#last = (this.#last ?? Math.max(0, ...stored.values())) + 1;
      stored.set(table, this.#last);
      this.#unsaved.add(table);
      this.#added.delete(table);
    }
  }

  /** Like `bump`, for rows that were added to an `append` model; `from` is the number of the first one. */
  async bumpAdded(table: string, from: number): Promise<void> {
    const added = this.#added.get(table) ?? new Map<string, number>();
    added.set(await this.of(table), from);
    for (const oldest of added.keys()) if (added.size > MAX_ADDED) added.delete(oldest);
    await this.bump([table]);
    this.#added.set(table, added);
  }

  async addedSince(table: string, version: string): Promise<string | undefined> {
    const from = this.#added.get(table)?.get(version);
    return from === undefined ? undefined : `rowid >= ${from}`;
  }

  /** Notes whether the table has rows in its current version. */
  async noteFilled(table: string, hasRows: boolean): Promise<void> {
    this.noteRows(table, await this.of(table), hasRows);
  }

  /** Writes the new versions. Must be called before the transaction ends. */
  async save(): Promise<void> {
    if (this.#unsaved.size === 0) return;
    const stored = await this.#read();
    const tables = [...this.#unsaved];
    const names = tables.map(literal).join(', ');
    const rows = tables.map((table) => `(${literal(table)}, ${stored.get(table)})`);
    await this.#db.execute(
      `delete from meta.version where table_name in (${names}); insert into meta.version values ${rows.join(', ')}`,
    );
    this.#unsaved.clear();
  }

  bound(table: string, contents: unknown): void {
    this.#bound.set(table, createHash('sha256').update(JSON.stringify(contents)).digest('hex'));
  }

  /** Discards what is known after a failed transaction, which has restored the earlier versions. */
  forget(): void {
    this.#stored = undefined;
    this.#unsaved.clear();
    this.#added.clear();
    this.forgetRows();
  }

  protected isBound(table: string): boolean {
    return this.#bound.has(table);
  }

  protected rows(sql: string): Promise<readonly Row[]> {
    return this.#db.rows(sql);
  }

  async #read(): Promise<Map<string, number>> {
    if (this.#stored !== undefined) return this.#stored;
    const rows = await this.#db.rows('select table_name, version from meta.version');
    this.#stored = new Map(rows.map((row) => [String(row['table_name']), Number(row['version'])]));
    return this.#stored;
  }
}
