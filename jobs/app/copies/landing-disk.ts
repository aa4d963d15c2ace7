// The disk of a job host that shares landing with others in a bucket. The files of its data folder are a copy: before a file appears there
// under its final name, it is in the bucket and in the journal. Code that works on a plain data folder works on this one unchanged.
//
// A batch is one change of the journal: its rows and its refused rows are put into the bucket as they are renamed into place, and enter the
// journal together with its receipt, which is renamed last. Removals enter the journal with the next change, because removing files once
// more after a crash has no effect.
import { basename, join, relative, sep } from 'node:path';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { type Disk, isMissing } from '../../../platform/storage/disk.ts';
import { StaleTermError } from '../../../platform/storage/fence.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { collectUnnamed } from './collect.ts';
import type { Journal } from './journal.ts';
import { type Entry, type CopyRecord, keyOf } from './journal-form.ts';

/** Shared paths, and those among them that belong to this host alone. */
const SHARED = /^((landing|quarantine|lost\+found)\/|(demo-world|installation)\.json$)/;
const OWN = /^landing\/(\.tmp\/|catalogue\.txt$)/;
const TEMPORARY = /^landing\/\.tmp\//;

export const isShared = (path: string): boolean => SHARED.test(path) && !OWN.test(path);

export interface LandingDiskOptions {
  readonly disk: Disk;
  /** The data folder. */
  readonly dir: string;
  readonly store: ObjectStore;
  readonly journal: Journal;
  /** Whether this host still leads, as far as it knows without asking. */
  readonly isHeld: () => boolean;
  /** Reports that a line of the ledger could not be shared yet; the next change includes it. */
  readonly warn: (message: string) => void;
}

export class SharedFolder {
  readonly #sharing: LandingDiskOptions;
  /** Files that are in the bucket but not yet in the journal, by path: rows whose receipt comes next. */
  readonly #waiting = new Map<string, CopyRecord>();
  /** Files that were put for failed batches, by path. The journal may name them until one of its changes is confirmed. */
  readonly #base = new Map<string, CopyRecord>();
  /** Files removed from the folder but still in the journal. */
  readonly #removed = new Set<string>();
  #ran: string[] = [];

  constructor(sharing: LandingDiskOptions) {
    this.#sharing = sharing;
  }

  /** @throws StaleTermError, StoreError from everything that changes files */
  get disk(): Disk {
    const { disk } = this.#sharing;
    return {
      ...disk,
      rename: (from, to) => this.#rename(from, to),
      unlink: (path) => this.#unlink(path),
      link: async (from, to) => {
        this.#assertHeld();
        return disk.link(from, to);
      },
    };
  }

  /** Shares small files that other code writes, if they have changed. Paths are relative to the data folder. */
  async keep(paths: readonly string[]): Promise<void> {
    const { disk, dir, journal } = this.#sharing;
    const entries: Entry[] = [];
    for (const path of paths) {
      const bytes = await disk.read(join(dir, path)).catch(nullIfMissing);
      if (bytes === null || journal.files.get(path)?.sha256 === sha256Hex(bytes)) continue;
      entries.push({ put: path, ...(await this.#put(path, bytes)) });
    }
    await this.#append(entries);
  }

  /** Shares a line of this host's ledger. If the bucket is unavailable, the line waits for the next change. */
  async noteRun(line: string): Promise<void> {
    this.#ran.push(line);
    try {
      await this.#append([]);
    } catch (error) {
      if (error instanceof StaleTermError) throw error;
      this.#sharing.warn(
        `the ledger could not be shared; the next change includes it: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Removes objects that crashes left in the bucket. Resolves to their number. @throws StaleTermError, StoreError */
  async collect(nowMs: number): Promise<number> {
    const { store, journal } = this.#sharing;
    this.#assertHeld();
    return (await collectUnnamed({ store, journal, nowMs })).length;
  }

  async #rename(from: string, to: string): Promise<void> {
    const { disk } = this.#sharing;
    this.#assertHeld();
    const [source, target] = [this.#shared(from), this.#shared(to)];
    if (target === null) {
      await disk.rename(from, to);
      if (source !== null) this.#removed.add(source);
      return;
    }
    const record = await this.#put(target, await disk.read(from));
    const isPart = TEMPORARY.test(this.#pathOf(from)) && !target.endsWith('.json');
    if (isPart) this.#waiting.set(target, record);
    else await this.#append([...this.#partsOf(target), { put: target, ...record }], source);
    await disk.rename(from, to);
  }

  async #unlink(path: string): Promise<void> {
    const { disk, journal } = this.#sharing;
    this.#assertHeld();
    const shared = this.#shared(path);
    const waiting = shared === null ? undefined : this.#waiting.get(shared);
    if (shared !== null && waiting !== undefined) {
      this.#waiting.delete(shared);
      this.#base.set(shared, waiting);
    }
    if (shared !== null && journal.files.has(shared)) this.#removed.add(shared);
    await disk.unlink(path);
  }

  /** The rows, and the refused rows, of the batch whose receipt is renamed. */
  #partsOf(receipt: string): Entry[] {
    const stem = basename(receipt, '.json');
    return [...this.#waiting]
      .filter(([path]) => basename(path).startsWith(`${stem}.`))
      .map(([put, record]) => ({ put, ...record }));
  }

  async #append(entries: readonly Entry[], moved: string | null = null): Promise<void> {
    const { journal, store } = this.#sharing;
    this.#assertHeld();
    const put = new Set(entries.flatMap((entry) => ('put' in entry ? [entry.put] : [])));
    const removed = [...this.#removed, ...(moved === null ? [] : [moved])].filter((path) => !put.has(path));
    const ran = this.#ran;
    await journal.append([]);
    const before = [...removed, ...put].flatMap((path) => namedIn(journal.files, path));
    const given = [...this.#base].map(([path, record]) => keyOf(path, record));
    await journal.append([
      ...removed.map((path) => ({ removed: path })),
      ...entries,
      ...ran.map((line) => ({ ran: line })),
    ]);
    for (const path of [...removed, ...put]) {
      this.#removed.delete(path);
      this.#waiting.delete(path);
    }
    this.#ran = this.#ran.slice(ran.length);
    this.#base.clear();
    const named = new Set([...put].flatMap((path) => namedIn(journal.files, path)));
    for (const [path, record] of this.#waiting) named.add(keyOf(path, record));
    await store.remove([...before, ...given].filter((key) => !named.has(key)));
  }

  async #put(path: string, bytes: Buffer): Promise<CopyRecord> {
    const { store, journal } = this.#sharing;
    const kept = { sha256: sha256Hex(bytes), term: journal.leader.number };
    await store.putOnce(keyOf(path, kept), [bytes]);
    return kept;
  }

  #assertHeld(): void {
    const { isHeld, journal } = this.#sharing;
    if (isHeld()) return;
    throw new StaleTermError(`Term ${journal.leader.number} of this process is over; another host leads.`);
  }

  #pathOf = (path: string): string => relative(this.#sharing.dir, path).split(sep).join('/');

  #shared(path: string): string | null {
    const own = this.#pathOf(path);
    return isShared(own) ? own : null;
  }
}

function namedIn(files: Journal['files'], path: string): string[] {
  const record = files.get(path);
  return record === undefined ? [] : [keyOf(path, record)];
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
