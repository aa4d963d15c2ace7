// Which landed files have rows with the keys of a batch, whatever their times. The index has a 64-bit hash for each landed row. A hash only
// says where to look, so it need not be unique. The index is derived from landed files: what is missing in it is added before it is asked.
import type { RawTable } from '../../define/raw-table.ts';
import { landedSql } from '../../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { Census, StagedBatch } from './dedupe.ts';

/** A landing whose rows are looked up. */
export interface KeyedLanding {
  /** Batches that count. */
  receipts(table?: string): readonly Receipt[];
  /** Absolute path of a batch's rows; null when none landed. */
  fileOf(receipt: Receipt): string | null;
  /** @throws IngestError when one of the files is not what landed */
  check(files: readonly string[]): Promise<void>;
}

const FILES = 'landing_keys.file';

export class KeyIndex {
  readonly #db: DuckDb;
  readonly #landings: readonly KeyedLanding[];

  constructor(db: DuckDb, landings: readonly KeyedLanding[]) {
    this.#db = db;
    this.#landings = landings;
  }

  /** Paths of the landed files that may have rows with keys of the good rows of a batch. All files with such rows are among them. */
  async filesWith({ table, sourceId, path }: StagedBatch): Promise<readonly string[]> {
    const db = this.#db;
    const paths = await this.#updated(table);
    const found = await db.rows(
      `select distinct i.file_id from ${indexOf(table)} i join (
         select ${hashSql(table)} as key_hash from read_parquet(${literal(path)}) where source_id = ${literal(sourceId)}) b
       on i.key_hash = b.key_hash order by i.file_id`,
    );
    return found.flatMap((row) => paths.get(Number(row['file_id'])) ?? []);
  }

  /** Paths of the landed files that may have rows of the times of a batch. */
  async filesWithin(
    { name }: RawTable,
    { firstTime, lastTime, untimed }: Census,
  ): Promise<readonly string[]> {
    const isWithin = ({ first_time, last_time }: Receipt) =>
      untimed > 0 ||
      first_time === null ||
      (first_time <= (lastTime ?? 0) && (last_time ?? first_time) >= (firstTime ?? 0));
    const found: string[] = [];
    for (const landing of this.#landings) {
      const paths = landing
        .receipts(name)
        .filter(isWithin)
        .flatMap((receipt) => landing.fileOf(receipt) ?? []);
      await landing.check(paths);
      found.push(...paths);
    }
    return found;
  }

  /** Adds new files and removes those that no longer count. Resolves to the path of each file by its number. */
  async #updated(table: RawTable): Promise<ReadonlyMap<number, string>> {
    const db = this.#db;
    await db.execute(
      `create schema if not exists landing_keys;
       create table if not exists ${FILES} (file_id integer, raw_table varchar, stamp varchar);
       create table if not exists ${indexOf(table)} (file_id integer, key_hash ubigint)`,
    );
    const known = await db.rows(
      `select file_id, stamp from ${FILES} where raw_table = ${literal(table.name)}`,
    );
    const ids = new Map(known.map((row) => [String(row['stamp']), Number(row['file_id'])]));
    const current = this.#filesOf(table);
    const gone = [...ids].filter(([stamp]) => !current.has(stamp)).map(([, id]) => id);
    const added = [...current].filter(([stamp]) => !ids.has(stamp));
    for (const [, { landing, path }] of added) await landing.check([path]);
    if (gone.length + added.length > 0)
      await db.atomic(async () => {
        await this.#remove(table, gone);
        for (const [stamp, { path }] of added) ids.set(stamp, await this.#add(table, stamp, path));
      });
    return new Map([...current].map(([stamp, { path }]) => [ids.get(stamp) ?? 0, path]));
  }

  /** Files that count now, by what their hashes depend on. */
  #filesOf({ name, key }: RawTable): ReadonlyMap<string, { landing: KeyedLanding; path: string }> {
    const files = this.#landings.flatMap((landing) =>
      landing.receipts(name).flatMap((receipt) => {
        const path = landing.fileOf(receipt);
        // The hash function of the engine may differ between versions.
        const stamp = [receipt.file_sha256, key.join(','), this.#db.version].join(' ');
        return path === null ? [] : [[stamp, { landing, path }] as const];
      }),
    );
    return new Map(files);
  }

  async #remove(table: RawTable, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const db = this.#db;
    for (const from of [FILES, indexOf(table)])
      await db.execute(`delete from ${from} where file_id in (${ids.join(', ')})`);
  }

  async #add(table: RawTable, stamp: string, path: string): Promise<number> {
    const db = this.#db;
    const [row] = await db.rows(`select coalesce(max(file_id), 0) + 1 as next from ${FILES}`);
    const id = Number(row?.['next']);
    await db.execute(
      `insert into ${indexOf(table)} select ${id}, ${hashSql(table)} from (${landedSql(table, [path])})`,
    );
    await db.execute(`insert into ${FILES} values (${id}, ${literal(table.name)}, ${literal(stamp)})`);
    return id;
  }
}

const indexOf = ({ name }: RawTable): string => `landing_keys.${quoted(name)}`;

const hashSql = ({ key }: RawTable): string => `hash(${key.map(quoted).join(', ')})`;
