// Receipts of landed batches: what came, what became of it, and where it lies. A batch exists if and only if its receipt does.
import { dirname, join } from 'node:path';
import type { FieldMapping, Interval, SourceFacts } from '../../define.ts';
import { LandingError } from './errors.ts';
import {
  dayFolder,
  dayOf,
  LANDING_FOLDER,
  makeFolder,
  moveIntoPlace,
  namesIn,
  type Place,
  QUARANTINE_FOLDER,
  quarantinePath,
  remove,
  TEMPORARY_FOLDER,
  writeTemporary,
} from './placement.ts';

/** How a batch was read: enough to read its bad rows again. */
export interface Origin {
  readonly kind: 'file' | 'columns' | 'redrive' | 'compaction';
  /** File as it was configured; null when there was none. */
  readonly path: string | null;
  /** Identity of the file when it was read: inode, size and times. */
  readonly stamp: string | null;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet' | 'columns' | null;
  readonly delimiter: string | null;
  /** Header of a CSV file. */
  readonly header: readonly string[] | null;
  readonly mapping_hash: string | null;
  readonly fields: { readonly [field: string]: FieldMapping } | null;
}

export interface Redriven {
  readonly batch: string;
  /** 1-based record numbers in that batch's quarantine. */
  readonly records: readonly number[];
}

export interface Receipt {
  /** sha256 of table, source, content hash and mapping. */
  readonly batch: string;
  readonly table: string;
  readonly source: SourceFacts;
  readonly interval: Interval;
  /** Unix seconds. */
  readonly fetched_at: number;
  /** sha256 of the bytes that were read. */
  readonly content_hash: string;
  /** Of a compaction: the content hashes of all that it stands for, sorted. */
  readonly contents?: readonly string[];
  readonly rows_in: number;
  readonly rows_landed: number;
  readonly rows_quarantined: number;
  readonly rows_deduplicated: number;
  /** Relative to the data folder; null when no row landed. */
  readonly file: string | null;
  readonly file_sha256: string | null;
  /** Smallest and largest instant of the landed rows, Unix seconds; instants of 0 stand for "never" and do not count. */
  readonly first_time: number | null;
  readonly last_time: number | null;
  /** Why rows were quarantined, and how many. */
  readonly reasons: { readonly [reason: string]: number };
  /** More bad rows than the limit: what rests on this batch is not published. */
  readonly over_limit: boolean;
  readonly origin: Origin;
  /** Batches this one stands for after compaction. */
  readonly replaces?: readonly string[];
  /** How replaced batches with rows in quarantine were read. */
  readonly origins?: { readonly [batch: string]: Origin };
  /** Quarantined rows that landed with this batch after all. */
  readonly redrives?: readonly Redriven[];
  /** Only on an answer: these bytes had landed before, nothing happened. */
  readonly repeated?: true;
}

/** sha256 of every file or batch that a receipt stands for. */
export const contentsOf = ({ content_hash, contents }: Pick<Receipt, 'content_hash' | 'contents'>) =>
  contents ?? [content_hash];

export interface StampFacts {
  readonly table: string;
  readonly source: string;
  readonly path: string | null;
  readonly stamp: string | null;
  readonly mappingHash: string | null;
}

/** What a file that has not changed is recognised by. */
export const stampKey = (facts: StampFacts): string =>
  [facts.table, facts.source, facts.path, facts.stamp, facts.mappingHash].join('\n');

/** Folders `landing/<table>/day=…`. */
async function dayFolders(place: Place): Promise<string[]> {
  const folders: string[] = [];
  for (const table of await namesIn(place, LANDING_FOLDER)) {
    if (table.startsWith('.')) continue;
    const days = await namesIn(place, join(LANDING_FOLDER, table));
    folders.push(...days.map((day) => join(LANDING_FOLDER, table, day)));
  }
  return folders;
}

/** Rows without a receipt are what a crash left. */
async function removeOrphans(place: Place, folder: string): Promise<void> {
  const names = new Set(await namesIn(place, folder));
  for (const name of names) {
    if (name.endsWith('.json') || names.has(name.replace(/\.parquet$/, '.json'))) continue;
    await remove(place, join(folder, name));
  }
}

/** Share of bad rows in a batch that is borne where nothing else is said, per cent. */
export const DEFAULT_LIMIT_PCT = 1;

export const isOverLimit = (bad: number, rows: number, limitPct: number): boolean =>
  rows > 0 && (bad / rows) * 100 > limitPct;

export class ReceiptStore {
  readonly #place: Place;
  readonly #limitPct: number;
  readonly #byBatch = new Map<string, Receipt>();
  readonly #standsFor = new Map<string, Receipt>();
  readonly #byStamp = new Map<string, Receipt>();

  constructor(place: Place, limitPct: number) {
    this.#place = place;
    this.#limitPct = limitPct;
  }

  /** Reads all receipts and removes what crashes left behind. */
  static async open(place: Place, limitPct: number): Promise<ReceiptStore> {
    await makeFolder(place, TEMPORARY_FOLDER);
    for (const name of await namesIn(place, TEMPORARY_FOLDER))
      await remove(place, join(TEMPORARY_FOLDER, name));
    for (const folder of await dayFolders(place)) await removeOrphans(place, folder);
    const store = await ReceiptStore.read(place, limitPct);
    await store.#removeReplaced();
    await store.#removeStrayQuarantine();
    return store;
  }

  /** Reads all receipts and touches nothing: for onlookers, while another process may be landing. */
  static async read(place: Place, limitPct = DEFAULT_LIMIT_PCT): Promise<ReceiptStore> {
    const store = new ReceiptStore(place, limitPct);
    for (const folder of await dayFolders(place)) await store.#readFolder(folder);
    return store;
  }

  /** Oldest fetch first. A batch is no longer over the limit when enough of its bad rows have landed since. */
  all(table?: string): readonly Receipt[] {
    const redriven = this.#redrivenCounts();
    return [...this.#byBatch.values()]
      .filter((receipt) => table === undefined || receipt.table === table)
      .map((receipt) => (receipt.over_limit ? this.#judged(receipt, redriven) : receipt))
      .sort((a, b) => a.fetched_at - b.fetched_at || (a.batch < b.batch ? -1 : 1));
  }

  #judged(receipt: Receipt, redriven: ReadonlyMap<string, number>): Receipt {
    const own = [receipt.batch, ...(receipt.replaces ?? [])].reduce(
      (sum, batch) => sum + (redriven.get(batch) ?? 0),
      0,
    );
    return {
      ...receipt,
      over_limit: isOverLimit(receipt.rows_quarantined - own, receipt.rows_in, this.#limitPct),
    };
  }

  #redrivenCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { redrives = [] } of this.#byBatch.values()) {
      for (const { batch, records } of redrives) counts.set(batch, (counts.get(batch) ?? 0) + records.length);
    }
    return counts;
  }

  /** The receipt of a batch, or of the one that replaced it. */
  find(batch: string): Receipt | undefined {
    return this.#byBatch.get(batch) ?? this.#standsFor.get(batch);
  }

  /** How a batch was read, also when it was compacted since. */
  originOf(batch: string): Origin | undefined {
    return this.#byBatch.get(batch)?.origin ?? this.#standsFor.get(batch)?.origins?.[batch];
  }

  /** The receipt of a file that was read with this key and has not changed since. */
  findByStamp(key: string): Receipt | undefined {
    return this.#byStamp.get(key);
  }

  /** Does any landed batch of the table hold rows in this span? */
  overlaps(table: string, first: number, last: number): boolean {
    return [...this.#byBatch.values()].some(
      (receipt) =>
        receipt.table === table &&
        receipt.rows_landed > 0 &&
        (receipt.first_time === null || (receipt.first_time <= last && (receipt.last_time ?? 0) >= first)),
    );
  }

  hasRows(table: string): boolean {
    return [...this.#byBatch.values()].some((receipt) => receipt.table === table && receipt.rows_landed > 0);
  }

  /** The commit point. When it throws, the batch is known if and only if its receipt could not be withdrawn. */
  async commit(receipt: Receipt): Promise<void> {
    const path = join(dayFolder(receipt.table, dayOf(receipt.interval.to)), `${receipt.batch}.json`);
    const bytes = Buffer.from(`${JSON.stringify(receipt, null, 1)}\n`);
    const temporary = await writeTemporary(this.#place, `${receipt.batch}.json`, [bytes]);
    try {
      await moveIntoPlace(this.#place, temporary, path);
    } catch (error) {
      if (!(await this.#withdraw(path))) this.#add(receipt);
      throw error;
    }
    this.#add(receipt);
    await this.#removeReplaced();
  }

  /** Takes a receipt away again whose durability is in doubt; false when it is there and cannot be removed. */
  async #withdraw(path: string): Promise<boolean> {
    const { disk, dir } = this.#place;
    try {
      await remove(this.#place, path);
      await disk.syncFolder(dirname(join(dir, path)));
      return true;
    } catch {
      return disk.stat(join(dir, path)).then(
        () => false,
        () => true,
      );
    }
  }

  #add(receipt: Receipt): void {
    this.#byBatch.set(receipt.batch, receipt);
    for (const batch of receipt.replaces ?? []) this.#standsFor.set(batch, receipt);
    const { path, stamp, mapping_hash: mappingHash } = receipt.origin;
    if (stamp === null) return;
    this.#byStamp.set(
      stampKey({ table: receipt.table, source: receipt.source.id, path, stamp, mappingHash }),
      receipt,
    );
  }

  async #readFolder(folder: string): Promise<void> {
    const names = await namesIn(this.#place, folder);
    for (const name of names.filter((one) => one.endsWith('.json')))
      this.#add(await this.#read(join(folder, name)));
  }

  async #read(path: string): Promise<Receipt> {
    const file = join(this.#place.dir, path);
    try {
      return JSON.parse((await this.#place.disk.read(file)).toString('utf8')) as Receipt;
    } catch (error) {
      const todo =
        'Restore it from a backup, or remove it together with the .parquet file beside it and land the source again';
      throw new LandingError('damaged_landing', 'the receipt cannot be read', { file, todo, cause: error });
    }
  }

  /** A compaction is committed by its receipt: what it replaced goes afterwards, now or at the next start. */
  async #removeReplaced(): Promise<void> {
    for (const batch of this.#standsFor.keys()) {
      const old = this.#byBatch.get(batch);
      if (old === undefined) continue;
      const folder = dayFolder(old.table, dayOf(old.interval.to));
      await remove(this.#place, join(folder, `${batch}.parquet`));
      await remove(this.#place, join(folder, `${batch}.json`));
      this.#byBatch.delete(batch);
    }
  }

  async #removeStrayQuarantine(): Promise<void> {
    for (const table of await namesIn(this.#place, QUARANTINE_FOLDER)) {
      for (const name of await namesIn(this.#place, join(QUARANTINE_FOLDER, table))) {
        const batch = name.replace(/\.ndjson$/, '');
        if (this.find(batch) === undefined) await remove(this.#place, quarantinePath(table, batch));
      }
    }
  }
}
