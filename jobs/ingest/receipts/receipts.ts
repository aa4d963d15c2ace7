// Receipts of landed batches: what each contained, what became of it, and where it is stored. A batch exists if and only if its receipt
// does.
import { dirname, join } from 'node:path';
import { type DataFolder, moveFile, remove, removeQuietly, writeTemporary } from '../data-folder.ts';
import { appendToCatalogue, type CatalogueEntry } from './catalogue.ts';
import { CheckedFiles, type LandedFile } from './checked-files.ts';
import {
  isSuperseding,
  landedFiles,
  type Origin,
  type Receipt,
  type SupersedingReceipt,
  sealReceipt,
  standingOf,
} from './receipt.ts';
import { entryOf, type Notices, recoverLanding, refuse, SILENT } from './recover.ts';
import { receiptPath, surveyCalmly } from './survey.ts';

/** sha256 of every file or batch that a receipt covers. */
export const contentsOf = ({ content_hash, contents }: Pick<Receipt, 'content_hash' | 'contents'>) =>
  contents ?? [content_hash];

export interface StampFacts {
  readonly table: string;
  readonly source: string;
  readonly path: string | null;
  readonly stamp: string | null;
  readonly mappingHash: string | null;
}

/** Identifies an unchanged file. */
export const stampKey = (facts: StampFacts): string =>
  [facts.table, facts.source, facts.path, facts.stamp, facts.mappingHash].join('\n');

/** Default limit on the share of bad rows in a batch, per cent. */
export const DEFAULT_LIMIT_PCT = 1;

export const isOverLimit = (bad: number, rows: number, limitPct: number): boolean =>
  rows > 0 && (bad / rows) * 100 > limitPct;

/** A complete file under a temporary name, and its final path. Both are relative to the data folder. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** A batch that is about to be committed. */
export interface NewBatch {
  readonly receipt: Receipt;
  readonly files: readonly Move[];
}

interface Lists {
  readonly all: readonly Receipt[];
  readonly byTable: ReadonlyMap<string, readonly Receipt[]>;
}

const NONE: readonly Receipt[] = [];

const byFetch = (a: Receipt, b: Receipt): number =>
  a.fetched_at - b.fetched_at || (a.batch < b.batch ? -1 : 1);

export class ReceiptStore {
  readonly #folder: DataFolder;
  readonly #limitPct: number;
  readonly #byBatch = new Map<string, Receipt>();
  readonly #standsFor = new Map<string, Receipt>();
  /** Batches that a compaction replaces and that are still there. */
  readonly #replaced = new Set<string>();
  /** By another name of the same bytes. */
  readonly #otherNames = new Map<string, Receipt>();
  readonly #superseded = new Map<string, Receipt>();
  readonly #supersessions = new Map<string, SupersedingReceipt>();
  readonly #byStamp = new Map<string, Receipt>();
  /** Cache of the ordered receipts, until one is added or removed. */
  #lists: Lists | undefined;
  readonly #checked: CheckedFiles;
  readonly #neighbours: readonly Receipt[];

  /** `neighbours`: batches of another landing whose rows are kept in the same tables. */
  constructor(folder: DataFolder, limitPct: number, neighbours: readonly Receipt[] = []) {
    this.#neighbours = neighbours;
    this.#folder = folder;
    this.#checked = new CheckedFiles(folder);
    this.#limitPct = limitPct;
  }

  /**
   * Reads all receipts, removes leftovers of crashes and sets aside files that no receipt names.
   * @throws IngestError when anything that landed is lost or in doubt
   */
  static async open(
    folder: DataFolder,
    limitPct: number,
    {
      notices = SILENT,
      neighbours = [],
    }: { readonly notices?: Notices; readonly neighbours?: readonly Receipt[] } = {},
  ): Promise<ReceiptStore> {
    const store = new ReceiptStore(folder, limitPct, neighbours);
    store.#addAll((await recoverLanding(folder, notices)).map(({ receipt }) => receipt));
    await store.#removeReplaced();
    return store;
  }

  /**
   * Reads all receipts and changes nothing: for readers, while another process may be landing.
   * @throws IngestError when anything that landed is lost or in doubt
   */
  static async read(folder: DataFolder, limitPct = DEFAULT_LIMIT_PCT): Promise<ReceiptStore> {
    const store = new ReceiptStore(folder, limitPct);
    const { receipts, faults } = await surveyCalmly(folder);
    refuse(folder, faults);
    store.#addAll(receipts.map(({ receipt }) => receipt));
    for (const batch of store.#standsFor.keys()) store.#byBatch.delete(batch);
    return store;
  }

  /** Oldest fetch first. A batch is no longer over the limit when enough of its bad rows have landed since. */
  all(table?: string): readonly Receipt[] {
    this.#lists ??= this.#listAll();
    return table === undefined ? this.#lists.all : (this.#lists.byTable.get(table) ?? NONE);
  }

  #listAll(): Lists {
    const redriven = this.#redrivenCounts();
    const all = [...this.#byBatch.values()]
      .map((receipt) => (receipt.over_limit ? this.#judged(receipt, redriven) : receipt))
      .sort(byFetch);
    return { all, byTable: Map.groupBy(all, ({ table }) => table) };
  }

  #judged(receipt: Receipt, redriven: ReadonlyMap<string, number>): Receipt {
    const { batch, replaces = [], stands_for = [] } = receipt;
    const own = [batch, ...replaces, ...stands_for].reduce(
      (sum, batch) => sum + (redriven.get(batch) ?? 0),
      0,
    );
    return {
      ...receipt,
      over_limit: isOverLimit(
        receipt.rows_quarantined - own,
        receipt.rows_in - (receipt.rows_filtered ?? 0),
        this.#limitPct,
      ),
    };
  }

  #redrivenCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { redrives = [] } of this.#byBatch.values()) {
      for (const { batch, records } of redrives) counts.set(batch, (counts.get(batch) ?? 0) + records.length);
    }
    return counts;
  }

  /** The receipt of a batch, of the batch that replaced it, or of one with the same bytes; also if it was superseded. */
  find(batch: string): Receipt | undefined {
    return (
      this.#byBatch.get(batch) ??
      this.#standsFor.get(batch) ??
      this.#otherNames.get(batch) ??
      this.#superseded.get(batch)
    );
  }

  /** Superseded batches, oldest fetch first. */
  superseded(table?: string): readonly Receipt[] {
    const all = [...this.#superseded.values()];
    return all.filter((receipt) => table === undefined || receipt.table === table).sort(byFetch);
  }

  /** Oldest first. */
  supersessions(): readonly SupersedingReceipt[] {
    return [...this.#supersessions.values()].sort(byFetch);
  }

  /** How a batch was read, even if it has been compacted since. */
  originOf(batch: string): Origin | undefined {
    const origin = this.#byBatch.get(batch)?.origin ?? this.#standsFor.get(batch)?.origins?.[batch];
    return origin ?? this.#otherNames.get(batch)?.origins?.[batch];
  }

  /** The receipt of a file that was read with this key and has not changed since. */
  findByStamp(key: string): Receipt | undefined {
    return this.#byStamp.get(key);
  }

  /** Whether any landed batch of the table, or of its neighbours, has rows in this span. */
  overlaps(table: string, first: number, last: number): boolean {
    return [...this.#byBatch.values(), ...this.#neighbours].some(
      (receipt) =>
        receipt.table === table &&
        receipt.rows_landed > 0 &&
        (receipt.first_time === null || (receipt.first_time <= last && (receipt.last_time ?? 0) >= first)),
    );
  }

  hasRows(table: string): boolean {
    const all = [...this.#byBatch.values(), ...this.#neighbours];
    return all.some((receipt) => receipt.table === table && receipt.rows_landed > 0);
  }

  /** @throws IngestError for a missing or altered file. */
  checkFiles(files: readonly LandedFile[]): Promise<void> {
    return this.#checked.check(files);
  }

  /**
   * Moves the batch's files into place and then its receipt, which is the commit point. The receipt exists under its temporary name before
   * the first file moves, so the next start can distinguish leftovers of a crash from files that lost their receipt.
   * When it throws, the batch is known if and only if its receipt could not be withdrawn.
   */
  async commit(receipt: Receipt, files: readonly Move[] = []): Promise<void> {
    const entry = await this.#put({ receipt, files });
    this.#add(receipt);
    await appendToCatalogue(this.#folder, [entry]);
    await this.#removeReplaced();
  }

  /**
   * Moves the successors into place, where they do not count yet, and then the receipt of the supersession, which is the commit point.
   * When it throws, nothing has changed, unless that receipt could not be withdrawn.
   */
  async supersede(receipt: SupersedingReceipt, successors: readonly NewBatch[]): Promise<void> {
    const entries: CatalogueEntry[] = [];
    try {
      for (const successor of successors) entries.push(await this.#put(successor));
      entries.push(await this.#put({ receipt, files: [] }));
    } catch (error) {
      if (this.#supersessions.has(receipt.batch))
        for (const successor of successors) this.#add(successor.receipt);
      else await this.#withdrawAll(successors);
      throw error;
    }
    for (const successor of successors) this.#add(successor.receipt);
    this.#add(receipt);
    await appendToCatalogue(this.#folder, entries);
  }

  /** What cannot be removed now is removed the next time landing is opened. */
  async #withdrawAll(batches: readonly NewBatch[]): Promise<void> {
    for (const { receipt, files } of batches)
      await removeQuietly(this.#folder, [...files.map(({ to }) => to), receiptPath(receipt)]);
  }

  async #put({ receipt, files }: NewBatch): Promise<CatalogueEntry> {
    const path = receiptPath(receipt);
    const { text, sha256 } = sealReceipt(receipt);
    const temporary = await writeTemporary(this.#folder, `${receipt.batch}.json`, [Buffer.from(text)]);
    try {
      for (const { from, to } of files) await moveFile(this.#folder, from, to);
      await moveFile(this.#folder, temporary, path);
    } catch (error) {
      if (!(await this.#withdraw(path)) && receipt.landed_with === undefined) this.#add(receipt);
      throw error;
    }
    return entryOf({ path, sha256, receipt });
  }

  /** Withdraws a receipt whose durability is in doubt; false when it exists and cannot be removed. */
  async #withdraw(path: string): Promise<boolean> {
    const { disk, dir } = this.#folder;
    try {
      await remove(this.#folder, path);
      await disk.syncFolder(dirname(join(dir, path)));
      return true;
    } catch {
      return disk.stat(join(dir, path)).then(
        () => false,
        () => true,
      );
    }
  }

  /** Superseded batches come first: where two have the same bytes, the one that counts is found. */
  #addAll(receipts: readonly Receipt[]): void {
    const { counting, superseded, supersessions } = standingOf(receipts);
    for (const receipt of [...superseded, ...counting, ...supersessions]) this.#add(receipt);
  }

  #add(receipt: Receipt): void {
    this.#lists = undefined;
    if (isSuperseding(receipt)) {
      this.#supersessions.set(receipt.batch, receipt);
      for (const batch of receipt.supersession.batches) this.#discount(batch);
      return;
    }
    this.#byBatch.set(receipt.batch, receipt);
    if (this.#standsFor.has(receipt.batch)) this.#replaced.add(receipt.batch);
    for (const name of receipt.stands_for ?? []) this.#otherNames.set(name, receipt);
    for (const batch of receipt.replaces ?? []) {
      this.#standsFor.set(batch, receipt);
      if (this.#byBatch.has(batch)) this.#replaced.add(batch);
    }
    const { path, stamp, mapping_hash: mappingHash } = receipt.origin;
    if (stamp === null) return;
    this.#byStamp.set(
      stampKey({ table: receipt.table, source: receipt.source.id, path, stamp, mappingHash }),
      receipt,
    );
  }

  #discount(batch: string): void {
    const receipt = this.#byBatch.get(batch);
    if (receipt === undefined) return;
    this.#byBatch.delete(batch);
    this.#superseded.set(batch, receipt);
  }

  /**
   * A compaction is committed by its receipt: the replaced files are removed afterwards, now or at the next start, and only if the file
   * that replaces them is intact.
   */
  async #removeReplaced(): Promise<void> {
    for (const batch of this.#replaced) {
      const [old, by] = [this.#byBatch.get(batch), this.#standsFor.get(batch)];
      if (old !== undefined && by !== undefined) await this.#remove(old, by);
      this.#replaced.delete(batch);
    }
  }

  async #remove(old: Receipt, by: Receipt): Promise<void> {
    await this.#checked.check(landedFiles([by]));
    const path = receiptPath(old);
    await remove(this.#folder, path.replace(/\.json$/, '.parquet'));
    await remove(this.#folder, path);
    this.#byBatch.delete(old.batch);
    this.#lists = undefined;
  }
}
