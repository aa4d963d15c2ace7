// The folder of recordings: `recordings/<source>/<day>/<id>/` holds the bodies, `<id>.json` next to it describes them. Renaming the JSON
// file into place commits the recording; whatever a crash leaves before that is removed at the next start and fetched again.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { NO_SECRETS, type Scrubber } from '../../../../platform/base/secrets.ts';
import { type Disk, isMissing, systemCode } from '../../../../platform/storage/disk.ts';
import { makeFolders, namesIn, removeFolder, writeSynced } from '../../../../platform/storage/disk-steps.ts';
import { errorsOf } from '../../../../schemas/validator.ts';
import { inRange, type MissingSubject, type RecordedPage, Recording } from './recording.ts';

export const RECORDINGS_FOLDER = 'recordings';
const TEMPORARY = '.tmp';
const STATE_FILE = 'state.gz';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type StoredState = NonNullable<Recording['state']>;

export interface RecordingFolder {
  readonly disk: Disk;
  /** The data folder. */
  readonly dir: string;
  /** Cleans what is written and, because earlier versions cleaned less, what is read. */
  readonly scrubber?: Scrubber;
}

/** A recording cannot be written. The message is for the operator; `reason` is published. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly reason: string;

  constructor(source: string, folder: string, cause: unknown) {
    const what = describe(cause);
    super(`the recording of source ${source} cannot be written to ${folder}: ${what}.`, { cause });
    this.reason = `what was read could not be stored: ${what}.`;
  }
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

function describe(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return FULL.has(code) ? `no space is left (${code})` : `the disk refuses (${code})`;
}

/** A page before it is written. */
export interface ReceivedPage {
  readonly body: Buffer;
  readonly facts: Omit<RecordedPage, 'file' | 'file_sha256' | 'sha256' | 'bytes'>;
}

/** A page as a reader gives it. */
export interface PageReading extends ReceivedPage {
  /** Records as values, for guards. */
  readonly records: readonly unknown[];
  /** When the source produced the body, Unix seconds. */
  readonly as_of: number;
  /** Time by the server's clock, Unix seconds; null if the server does not state it. */
  readonly server_time: number | null;
  /** What makes the whole reading unusable, in words. */
  readonly doubt?: string;
  /** The block up to which a chain was read. */
  readonly block?: Recording['block'];
  /** How far the page reads, if not to the end of the window: the time of `block`, Unix seconds. */
  readonly read_to?: number;
  /** Subjects that could not be read. */
  readonly missing?: readonly MissingSubject[];
  /** State from which the next reading of the partition continues; a JSON value. */
  readonly state?: unknown;
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const sourceFolder = ({ dir }: RecordingFolder, source: string) => join(dir, RECORDINGS_FOLDER, source);
const dayFolder = (
  folder: RecordingFolder,
  { source, fetched_at }: Pick<Recording, 'source' | 'fetched_at'>,
) => join(sourceFolder(folder, source), new Date(fetched_at * 1000).toISOString().slice(0, 10));

/** Absolute path of a page's compressed body. */
export const bodyPath = (folder: RecordingFolder, recording: Recording, page: RecordedPage): string =>
  join(dayFolder(folder, recording), recording.id, page.file);

/** An id that sorts by time; `index` makes it unique within a millisecond. */
export const recordingId = (fetchedAt: number, index: number): string =>
  `${new Date(Math.round(fetchedAt * 1000)).toISOString().replaceAll(/[-:.]/g, '')}-${String(index).padStart(4, '0')}`;

type RecordingFacts = Omit<Recording, 'pages' | 'sha256' | 'bytes' | 'records'>;

/**
 * Durable when it resolves, and without secrets. `state` is what the next reading continues from.
 * @throws StorageFault; then nothing of the recording is left
 */
export async function writeRecording(
  recordings: RecordingFolder,
  facts: RecordingFacts,
  received: readonly ReceivedPage[],
  state?: unknown,
): Promise<Recording> {
  const folder = dayFolder(recordings, facts);
  try {
    return await write(recordings, folder, { facts, received, state });
  } catch (error) {
    await removePartial(recordings, join(folder, facts.id));
    throw new StorageFault(facts.source, folder, error);
  }
}

async function write(
  recordings: RecordingFolder,
  folder: string,
  unwritten: {
    readonly facts: RecordingFacts;
    readonly received: readonly ReceivedPage[];
    readonly state: unknown;
  },
): Promise<Recording> {
  const { facts, received, state } = unwritten;
  await makeFolders(recordings.disk, folder);
  const { pages, kept } = await writeBodies(recordings, join(folder, facts.id), { received, state });
  const recording: Recording = {
    ...facts,
    ...(kept === null ? {} : { state: kept }),
    sha256: pages.length === 0 ? null : contentHash(pages),
    bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0),
    records: pages.reduce((sum, { records }) => sum + records, 0),
    pages,
  };
  const clean = withoutSecrets(recording, recordings);
  const text = Buffer.from(`${JSON.stringify(clean)}\n`);
  await writeDurably(recordings, join(folder, `${facts.id}.json`), text);
  return clean;
}

/** Cleans what others wrote; names and times are ours. */
function withoutSecrets(recording: Recording, { scrubber = NO_SECRETS }: RecordingFolder): Recording {
  if (scrubber === NO_SECRETS) return recording;
  const text = (given: string) => scrubber.text(given);
  const { reasons, ended, shape, pages, missing } = recording;
  return {
    ...recording,
    reasons: reasons.map(text),
    ended: ended === null ? null : text(ended),
    shape: shape.map(text),
    pages: pages.map(({ request, headers, ...page }) => ({
      ...page,
      request: {
        ...request,
        url: text(request.url),
        body: request.body === null ? null : text(request.body),
      },
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)])),
    })),
    ...(missing === undefined
      ? {}
      : { missing: missing.map((one) => ({ subject: text(one.subject), reason: text(one.reason) })) }),
  };
}

/**
 * Otherwise each attempt on a full disk would fill it further. What cannot be removed now is removed at the next start, unless the
 * description is in its place: then the recording counts.
 */
async function removePartial({ disk, dir }: RecordingFolder, folder: string): Promise<void> {
  const described = `${folder}.json`;
  try {
    await disk.unlink(described);
  } catch (error) {
    if (!isMissing(error)) return;
  }
  await Promise.allSettled([removeFolder(disk, folder), disk.unlink(stagedPath(dir, described))]);
}

const stagedPath = (dir: string, path: string): string =>
  join(
    dir,
    RECORDINGS_FOLDER,
    TEMPORARY,
    path.slice(join(dir, RECORDINGS_FOLDER).length + 1).replaceAll('/', '~'),
  );

/** For one page its hash, for several the hash of their hashes. */
export const contentHash = (pages: readonly { readonly sha256: string }[]): string =>
  pages.length === 1
    ? (pages[0]?.sha256 ?? '')
    : sha256Of(Buffer.from(pages.map(({ sha256 }) => `${sha256}\n`).join('')));

async function writeBodies(
  { disk }: RecordingFolder,
  folder: string,
  { received, state }: { readonly received: readonly ReceivedPage[]; readonly state: unknown },
): Promise<{ readonly pages: RecordedPage[]; readonly kept: StoredState | null }> {
  const pages: RecordedPage[] = [];
  if (received.length === 0 && state === undefined) return { pages, kept: null };
  await disk.mkdir(folder);
  for (const [index, { body, facts }] of received.entries()) {
    const file = `${String(index + 1).padStart(4, '0')}.gz`;
    const packed = gzipSync(body);
    await writeSynced(disk, join(folder, file), [packed]);
    pages.push({
      ...facts,
      file,
      file_sha256: sha256Of(packed),
      sha256: sha256Of(body),
      bytes: body.length,
    });
  }
  const kept = state === undefined ? null : await writeState(disk, folder, state);
  await disk.syncFolder(folder);
  await disk.syncFolder(dirname(folder));
  return { pages, kept };
}

async function writeState(disk: Disk, folder: string, state: unknown): Promise<StoredState> {
  const packed = gzipSync(JSON.stringify(state));
  await writeSynced(disk, join(folder, STATE_FILE), [packed]);
  return { file: STATE_FILE, file_sha256: sha256Of(packed) };
}

/** The state of the newest recording that has one; null if none has, or if its file is missing or damaged. */
export async function newestState(
  folder: RecordingFolder,
  recordings: readonly Recording[],
): Promise<unknown> {
  const recording = recordings.findLast(({ state }) => state !== undefined);
  if (recording?.state === undefined) return null;
  const { file, file_sha256 } = recording.state;
  try {
    const packed = await folder.disk.read(join(dayFolder(folder, recording), recording.id, file));
    return sha256Of(packed) === file_sha256 ? JSON.parse(gunzipSync(packed).toString('utf8')) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function writeDurably(folder: RecordingFolder, path: string, bytes: Uint8Array): Promise<void> {
  const { disk, dir } = folder;
  const staged = stagedPath(dir, path);
  await makeFolders(disk, dirname(staged));
  await writeSynced(disk, staged, [bytes]);
  await disk.rename(staged, path);
  await disk.syncFolder(dirname(path));
}

/** Recordings of a source, oldest first; those in `known` are not read again. Files that are not recordings are reported. */
export async function readRecordings(
  recordings: RecordingFolder,
  source: string,
  known: Map<string, Recording> = new Map(),
  warn: (message: string) => void = () => {},
): Promise<readonly Recording[]> {
  const folder = sourceFolder(recordings, source);
  const found: Recording[] = [];
  for (const day of await namesIn(recordings.disk, folder)) {
    if (!DAY.test(day)) continue;
    for (const name of await namesIn(recordings.disk, join(folder, day))) {
      if (!name.endsWith('.json')) continue;
      const path = join(folder, day, name);
      const recording = known.get(path) ?? (await readOne(recordings, path, warn));
      if (recording === null) continue;
      known.set(path, recording);
      found.push(recording);
    }
  }
  return found;
}

/** Null for a file that is not a recording, or that another process has removed in the meantime. */
async function readOne(
  folder: RecordingFolder,
  path: string,
  warn: (message: string) => void,
): Promise<Recording | null> {
  try {
    const recording = parse(await folder.disk.read(path), path, warn);
    return recording && withoutSecrets(inRange(recording), folder);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function parse(bytes: Buffer, path: string, warn: (message: string) => void): Recording | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (errorsOf(Recording, value).length === 0) return value as Recording;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  warn(`${path} is not a recording: it is ignored and its source is read again.`);
  return null;
}

/** Removes bodies without a description and temporary files that crashes left. Only for the process that fetches the sources. */
export async function removeLeftovers(folder: RecordingFolder, only?: string): Promise<number> {
  const { disk, dir } = folder;
  const root = join(dir, RECORDINGS_FOLDER);
  let removed = 0;
  for (const name of await namesIn(disk, join(root, TEMPORARY))) {
    if (only !== undefined && !name.startsWith(`${only}~`)) continue;
    await disk.unlink(join(root, TEMPORARY, name));
    removed += 1;
  }
  for (const source of only === undefined ? await namesIn(disk, root) : [only]) {
    for (const day of await namesIn(disk, join(root, source))) {
      if (!DAY.test(day)) continue;
      const names = await namesIn(disk, join(root, source, day));
      for (const id of names.filter((name) => !name.includes('.') && !names.includes(`${name}.json`))) {
        await removeFolder(disk, join(root, source, day, id));
        removed += 1;
      }
    }
  }
  return removed;
}

/** Removes the description first: what a crash then leaves does not count and is removed at the next start. */
export async function removeRecording(recordings: RecordingFolder, recording: Recording): Promise<void> {
  const folder = dayFolder(recordings, recording);
  await recordings.disk.unlink(join(folder, `${recording.id}.json`));
  await recordings.disk.syncFolder(folder);
  if (recording.pages.length > 0 || recording.state !== undefined)
    await removeFolder(recordings.disk, join(folder, recording.id));
}
