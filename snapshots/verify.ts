// Re-checks a whole snapshot folder, down to each line, and says what is wrong in words.
import { join } from 'node:path';
import { sha256Hex } from './canonical.ts';
import { DATASET_ADVICE, datasetLines } from './dataset-file.ts';
import { formFiles, readForm } from './dataset-forms.ts';
import type { Disk } from './disk.ts';
import { DamagedFileError, RefusedInputError } from './errors.ts';
import { candidates } from './last-good.ts';
import {
  type DatasetEntry,
  datasetPath,
  type Manifest,
  manifestPath,
  type SegmentEntry,
  segmentPath,
} from './layout.ts';
import { listVersions, openVersion, readPresent, SEGMENT_ADVICE, versionFolders } from './read.ts';
import { checkSegmentChain, readSegment } from './segment.ts';

export interface Finding {
  /** Path in the snapshot folder. */
  readonly file: string;
  readonly problem: string;
  readonly advice: string;
}

/** No findings: every version is whole and follows the one before. Reads every file once. */
export async function verifyFolder(disk: Disk, dir: string): Promise<Finding[]> {
  const check = new FolderCheck(disk, dir);
  await check.pointer();
  for (const version of await listVersions(disk, dir)) await check.version(version);
  await check.lostManifests();
  return check.findings;
}

class FolderCheck {
  readonly findings: Finding[] = [];
  readonly #checked = new Set<string>();
  readonly #manifests = new Map<string, Manifest>();
  readonly #disk: Disk;
  readonly #dir: string;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  async pointer(): Promise<void> {
    await this.#guard(async () => {
      const damage: DamagedFileError[] = [];
      for await (const { version, manifest_sha256 } of candidates(this.#disk, this.#dir, damage)) {
        if (manifest_sha256 !== undefined) await openVersion(this.#disk, this.#dir, version, manifest_sha256);
        break;
      }
      for (const error of damage) throw error;
    });
  }

  /** Versions come oldest first, so the one before was met already. */
  async version(version: string): Promise<void> {
    const reader = await this.#guard(() => openVersion(this.#disk, this.#dir, version));
    if (reader === null) return;
    const { manifest } = reader;
    this.#manifests.set(version, manifest);
    await this.#contents(manifest, this.#manifests.get(manifest.previous ?? ''));
  }

  /** A folder without a manifest is what a crash leaves, unless a later version names it. */
  async lostManifests(): Promise<void> {
    const folders = new Set(await versionFolders(this.#disk, this.#dir));
    for (const { previous } of this.#manifests.values())
      if (previous !== null && folders.has(previous) && !this.#manifests.has(previous))
        await this.#guard(() => openVersion(this.#disk, this.#dir, previous));
  }

  async #contents(manifest: Manifest, before: Manifest | undefined): Promise<void> {
    for (const [id, entry] of Object.entries(manifest.datasets)) await this.#datasetFiles(id, entry);
    for (const segment of manifest.events.segments)
      await this.#once(segmentPath(segment.name), () => this.#segment(segment));
    for (const problem of manifestProblems(manifest, before))
      this.#add(
        manifestPath(manifest.version),
        problem,
        'The writer that made it is faulty: publish again with a sound one.',
      );
  }

  async #datasetFiles(id: string, entry: DatasetEntry): Promise<void> {
    await this.#once(datasetPath(id, entry.sha256), (file) => this.#dataset(file, entry));
    for (const form of formFiles(id, entry))
      await this.#once(form.path, async (file) => void (await readForm(this.#disk, file, form.entry)));
  }

  async #dataset(file: string, entry: DatasetEntry): Promise<void> {
    const bytes = await readPresent(this.#disk, file, DATASET_ADVICE);
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

  async #segment(entry: SegmentEntry): Promise<void> {
    const segment = await readSegment(this.#disk, this.#dir, entry);
    const file = join(this.#dir, segmentPath(entry.name));
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

  async #once(path: string, check: (file: string) => Promise<void>): Promise<void> {
    if (this.#checked.has(path)) return;
    this.#checked.add(path);
    await this.#guard(() => check(join(this.#dir, path)));
  }

  /** What `check` gives, or null and a finding when it meets damage. */
  async #guard<T>(check: () => Promise<T>): Promise<T | null> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const file = error.file.startsWith(this.#dir) ? error.file.slice(this.#dir.length + 1) : error.file;
      this.#add(file, `expected ${error.expected}, found ${error.actual}`, error.advice);
      return null;
    }
  }

  #add(file: string, problem: string, advice: string): void {
    if (this.findings.some((known) => known.file === file && known.problem === problem)) return;
    this.findings.push({ file, problem, advice });
  }
}

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

function* manifestProblems({ as_of, events }: Manifest, before: Manifest | undefined): Generator<string> {
  try {
    checkSegmentChain(events.segments);
  } catch (error) {
    if (!(error instanceof RefusedInputError)) throw error;
    yield error.message;
  }
  const last = events.segments.at(-1)?.last ?? null;
  if (last !== events.last_event_id)
    yield `last_event_id is ${events.last_event_id}, but the segments end at ${last}`;
  const count = events.segments.reduce((sum, segment) => sum + segment.count, 0);
  if (count !== events.count) yield `${events.count} events, but the segments have ${count}`;
  if (before === undefined) return;
  if (Date.parse(as_of) < Date.parse(before.as_of))
    yield `as_of ${as_of} is before ${before.as_of} of version ${before.version}`;
  if ((events.last_event_id ?? '') < (before.events.last_event_id ?? ''))
    yield `the event log ends at ${events.last_event_id}, before that of version ${before.version}`;
}
