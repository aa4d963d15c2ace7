// Checks a whole snapshot folder, down to each line, and describes what is wrong.
import { sha256Hex } from '../platform/storage/canonical.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { type CollectedNote, readCollected } from './collected.ts';
import { DATASET_ADVICE, datasetLines, formFiles, readForm } from './dataset-file.ts';
import { openHistory } from './history.ts';
import {
  type DatasetEntry,
  datasetPath,
  type Manifest,
  manifestPath,
  type SegmentEntry,
  segmentIndexPath,
  segmentPath,
} from './layout.ts';
import { listVersions, openVersion, readPresent, SEGMENT_ADVICE, versionFolders } from './read.ts';
import { readSegment } from './segment.ts';
import { checkIndex } from './segment-index/index-files.ts';
import { chainProblems } from './verify-chain.ts';

const CHAIN_ADVICE =
  'Restore what is lost from a copy (a mirror or a backup). If nothing is lost, the writer that published it is faulty: publish again with a corrected one.';

export interface Finding {
  /** Path in the snapshot folder. */
  readonly file: string;
  readonly problem: string;
  readonly advice: string;
}

/** Without findings, every version is complete and follows the previous one, and its log begins with the previous log. */
export async function verifyFolder(store: ObjectStore): Promise<Finding[]> {
  const check = new FolderCheck(store);
  await check.newest();
  for (const version of await listVersions(store)) await check.version(version);
  await check.lostManifests();
  await check.chain({ withLogs: true });
  return check.findings;
}

/** Checks only the manifests: whether each version can be read and follows one that exists. Reads no dataset and no event log. */
export async function verifyManifests(store: ObjectStore): Promise<Finding[]> {
  const check = new FolderCheck(store);
  for (const version of await listVersions(store)) await check.manifest(version);
  await check.lostManifests();
  await check.chain({ withLogs: false });
  return check.findings;
}

class FolderCheck {
  readonly findings: Finding[] = [];
  readonly #checked = new Set<string>();
  readonly #manifests = new Map<string, Manifest>();
  readonly #unreadable = new Set<string>();
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** The pointer and the newest version, as the writer sees them. */
  async newest(): Promise<void> {
    const history = await this.#guard(() => openHistory(this.#store));
    for (const error of history?.damage ?? [])
      await this.#guard(async () => {
        throw error;
      });
  }

  /** Null, with a finding, if it cannot be read. */
  async manifest(version: string): Promise<Manifest | null> {
    const reader = await this.#guard(() => openVersion(this.#store, version));
    if (reader === null) this.#unreadable.add(version);
    else this.#manifests.set(version, reader.manifest);
    return reader?.manifest ?? null;
  }

  async version(version: string): Promise<void> {
    const manifest = await this.manifest(version);
    if (manifest === null) return;
    for (const [id, entry] of Object.entries(manifest.datasets)) await this.#datasetFiles(id, entry);
    for (const segment of manifest.events.segments) await this.#segmentFiles(segment);
  }

  /** Called after all versions: checks their consistency with each other. */
  async chain({ withLogs }: { readonly withLogs: boolean }): Promise<void> {
    const collected = await this.#guard(() => readCollected(this.#store));
    const manifests = [...this.#manifests.values()];
    const chain = { manifests, unreadable: this.#unreadable, collected, withLogs };
    for await (const { version, problem } of chainProblems(this.#store, chain))
      this.#add(manifestPath(version), problem, CHAIN_ADVICE);
  }

  /** A folder without a manifest was left by a crash or a collection, unless a later version names it and it was not collected. */
  async lostManifests(): Promise<void> {
    const folders = new Set(await versionFolders(this.#store));
    const collected = await this.#guard(() => readCollected(this.#store));
    for (const { previous } of this.#manifests.values()) {
      if (previous === null || !folders.has(previous) || this.#manifests.has(previous)) continue;
      if (isCollected(previous, collected)) continue;
      this.#unreadable.add(previous);
      await this.#guard(() => openVersion(this.#store, previous));
    }
  }

  async #datasetFiles(id: string, entry: DatasetEntry): Promise<void> {
    await this.#once(datasetPath(id, entry.sha256), (path) => this.#dataset(path, entry));
    for (const form of formFiles(id, entry))
      await this.#once(form.path, async (path) => void (await readForm(this.#store, path, form.entry)));
  }

  async #dataset(path: string, entry: DatasetEntry): Promise<void> {
    const file = this.#store.nameOf(path);
    const bytes = await readPresent(this.#store, { path, advice: DATASET_ADVICE });
    const actual = sha256Hex(bytes);
    const expected = `sha256 ${entry.sha256} (${entry.bytes} bytes)`;
    if (actual !== entry.sha256)
      throw new DamagedFileError({
        file,
        expected,
        actual: `sha256 ${actual} (${bytes.length} bytes)`,
        advice: DATASET_ADVICE,
      });
    const { documents, disorder } = surveyLines(bytes);
    if (disorder !== null)
      throw new DamagedFileError({
        file,
        expected: 'keys in order',
        actual: disorder,
        advice: DATASET_ADVICE,
      });
    if (documents !== entry.documents)
      throw new DamagedFileError({
        file,
        expected: `${entry.documents} documents`,
        actual: `${documents}`,
        advice: DATASET_ADVICE,
      });
  }

  /** A later version can name an index for a segment that an earlier one names without. */
  async #segmentFiles(entry: SegmentEntry): Promise<void> {
    await this.#once(segmentPath(entry.name), () => this.#segment(entry));
    if (entry.index === undefined) return;
    await this.#once(segmentIndexPath(entry.name, entry.index.sha256), async () => {
      const { bytes } = await readSegment(this.#store, entry);
      await checkIndex(this.#store, entry, bytes);
    });
  }

  async #segment(entry: SegmentEntry): Promise<void> {
    const segment = await readSegment(this.#store, entry);
    const file = this.#store.nameOf(segmentPath(entry.name));
    const ids: string[] = [];
    for (const { id } of segment.events()) {
      if (id <= (ids.at(-1) ?? ''))
        throw new DamagedFileError({ file, expected: 'rising ids', actual: id, advice: SEGMENT_ADVICE });
      ids.push(id);
    }
    const actual = `${ids.length} events from ${ids[0]} to ${ids.at(-1)}`;
    const expected = `${entry.count} events from ${entry.first} to ${entry.last}`;
    if (actual !== expected) throw new DamagedFileError({ file, expected, actual, advice: SEGMENT_ADVICE });
  }

  async #once(path: string, check: (path: string) => Promise<void>): Promise<void> {
    if (this.#checked.has(path)) return;
    this.#checked.add(path);
    await this.#guard(() => check(path));
  }

  /** The result of `check`, or null and a finding when it finds damage. */
  async #guard<T>(check: () => Promise<T>): Promise<T | null> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const start = this.#store.nameOf('');
      const file = error.file.startsWith(start) ? error.file.slice(start.length + 1) : error.file;
      this.#add(file, `expected ${error.expected}, found ${error.actual}`, error.advice);
      return null;
    }
  }

  #add(file: string, problem: string, advice: string): void {
    if (this.findings.some((known) => known.file === file && known.problem === problem)) return;
    this.findings.push({ file, problem, advice });
  }
}

const isCollected = (version: string, note: CollectedNote | null): boolean =>
  note !== null && version <= note.through && !note.kept.includes(version);

function surveyLines(bytes: Buffer): { documents: number; disorder: string | null } {
  let documents = 0;
  let last: string | null = null;
  for (const line of datasetLines(bytes)) {
    const { key } = JSON.parse(line) as { key: string };
    if (last !== null && key <= last)
      return { documents, disorder: `${JSON.stringify(key)} after ${JSON.stringify(last)}` };
    last = key;
    documents++;
  }
  return { documents, disorder: null };
}
