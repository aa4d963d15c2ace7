// Reads one window of a source, judges it, and writes the recording: accepted, unchanged, suspect or failed.
import { printable } from '../../../../platform/base/printable.ts';
import { NetFault } from '../http/net-fault.ts';
import {
  agrees,
  countsOf,
  type Doubt,
  doubtsAbout,
  isSameContent,
  type ReceivedRecords,
  shapeOf,
} from './guards.ts';
import type { LiveSource, Window } from './live-source.ts';
import { isRead } from './plan-windows.ts';
import type { EarlierRecordings, Reader, ReaderTools } from './reader.ts';
import { MAX_AHEAD_S, type Recording } from './recording.ts';
import {
  contentHash,
  newestState,
  type PageReading,
  type RecordingFolder,
  recordingId,
  sha256Of,
  StorageFault,
  writeRecording,
} from './recording-store.ts';

export interface Reading {
  readonly source: LiveSource;
  readonly window: Window;
  /** Recordings of the partition, oldest first. */
  readonly earlier: readonly Recording[];
}

export interface RecordingTools extends ReaderTools {
  readonly reader: Reader;
  /** A number that no other recording of this millisecond has. */
  readonly nextNumber: () => number;
  /** Aborted when the process is to stop: what fails then is no fault of the source. */
  readonly signal: AbortSignal | undefined;
  /** For the operator: what is not published. */
  readonly warn: (message: string) => void;
}

/** The pages of a window, before they are judged. */
export interface WindowReading {
  readonly pages: readonly PageReading[];
  readonly ended: string | null;
}

/** @throws NetFault if the window cannot be read completely. */
export async function readPages(
  { source, window, earlier }: Reading,
  tools: ReaderTools & { readonly reader: Reader },
): Promise<WindowReading> {
  const pages: PageReading[] = [];
  const reading = tools.reader(source, window, tools, earlierOf(earlier, tools));
  for (;;) {
    const step = await reading.next();
    if (step.done === true) return { pages, ended: step.value };
    pages.push(step.value);
  }
}

function earlierOf(
  recordings: readonly Recording[],
  { folder }: Pick<ReaderTools, 'folder'>,
): EarlierRecordings {
  const read = recordings.filter(isRead);
  return { recordings: read, state: () => newestState(folder, read) };
}

/**
 * Whatever goes wrong with the source is recorded, also an unexpected error, so that it is shown and others go on.
 * @throws StorageFault if nothing can be recorded; anything if the process is stopping
 */
export async function recordWindow(reading: Reading, tools: RecordingTools): Promise<Recording> {
  try {
    return await recordPages(reading, await readPages(reading, tools), tools);
  } catch (error) {
    if (tools.signal?.aborted === true) throw error;
    if (error instanceof StorageFault) tools.warn(error.message);
    return recordFailure(reading, failureOf(error, tools.folder), tools);
  }
}

/** Why nothing was received, as it is published. */
export interface Failure {
  readonly kind: string;
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

export function failureOf(error: unknown, { dir }: RecordingFolder): Failure {
  if (error instanceof NetFault)
    return { kind: error.kind, reason: error.message, retryAfterMs: error.retryAfterMs };
  if (error instanceof StorageFault) return { kind: 'storage', reason: error.reason, retryAfterMs: null };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const reason = printable(`an unexpected error (${message.replaceAll(dir, 'DATA_DIR')}).`);
  return { kind: 'unexpected', reason, retryAfterMs: null };
}

type Facts = Omit<Recording, 'pages' | 'sha256' | 'bytes' | 'records'>;

function factsOf({ source, window }: Reading, tools: Pick<RecordingTools, 'now' | 'nextNumber'>): Facts {
  const fetchedAt = tools.now();
  const { from, to, urgency, partition } = window;
  return {
    id: recordingId(fetchedAt, tools.nextNumber()),
    source: source.id,
    partition: partition.key,
    params: partition.params,
    outcome: 'failed',
    reasons: [],
    fault: null,
    retry_at: null,
    window: { from, to },
    urgency,
    fetched_at: fetchedAt,
    as_of: fetchedAt,
    newest_possible: fetchedAt,
    block: null,
    license: source.facts.license,
    ended: null,
    shape: [],
    newest: null,
    confirms: [],
  };
}

/** @throws StorageFault */
export function recordFailure(
  reading: Reading,
  { kind, reason, retryAfterMs }: Failure,
  tools: Pick<RecordingTools, 'folder' | 'now' | 'nextNumber'>,
): Promise<Recording> {
  const facts = factsOf(reading, tools);
  const retryAt = retryAfterMs === null ? null : facts.fetched_at + retryAfterMs / 1000;
  return writeRecording(tools.folder, { ...facts, reasons: [reason], fault: kind, retry_at: retryAt }, []);
}

const serverTimesOf = (pages: readonly PageReading[]): readonly number[] =>
  pages.flatMap(({ server_time: time }) => (time === null ? [] : [time]));

/** A row can be as new as the source's own clock, but a wrong clock must not admit rows of any future. */
const newestPossible = (fetchedAt: number, serverTimes: readonly number[]): number =>
  Math.min(fetchedAt + MAX_AHEAD_S, Math.max(fetchedAt, ...serverTimes));

/** The input of the guards. */
export function receivedIn(
  pages: readonly PageReading[],
  { window }: Pick<LiveSource, 'window'>,
  fetchedAt: number,
): ReceivedRecords {
  const records = pages.flatMap((page) => page.records);
  const serverTimes = serverTimesOf(pages);
  return {
    records,
    as_of: Math.min(fetchedAt, ...pages.map(({ as_of }) => as_of)),
    sha256: contentHash(pages.map(({ body }) => ({ sha256: sha256Of(body) }))),
    server_time: serverTimes.length === 0 ? null : Math.max(...serverTimes),
    fetched_at: fetchedAt,
    newest: newestOf(records),
    is_windowed: window !== null,
    doubts: [...new Set(pages.flatMap(({ doubt }) => doubt ?? []))],
  };
}

async function recordPages(
  reading: Reading,
  { pages, ended }: WindowReading,
  tools: RecordingTools,
): Promise<Recording> {
  const { source, window, earlier } = reading;
  const facts = factsOf(reading, tools);
  const received = receivedIn(pages, source, facts.fetched_at);
  const { records } = received;
  const doubts = doubtsAbout(received, source.guards, earlier);
  const confirms = doubts.length === 0 ? [] : confirmedBy(received, doubts, earlier);
  const isUnchanged = doubts.length === 0 && (await isSame(received, reading, tools));
  const isSuspect = doubts.length > 0 && confirms.length === 0;
  const readTo = pages.findLast(({ read_to }) => read_to !== undefined)?.read_to;
  const complete: Facts = {
    ...facts,
    outcome: isUnchanged ? 'unchanged' : isSuspect ? 'suspect' : 'accepted',
    reasons: doubts.map(({ message }) => message),
    window: { from: window.from, to: readTo ?? window.to },
    as_of: received.as_of,
    newest_possible: newestPossible(facts.fetched_at, serverTimesOf(pages)),
    block: pages.findLast(({ block }) => block !== undefined)?.block ?? null,
    ended,
    ...formOf(records, source.guards),
    newest: received.newest,
    confirms: [...confirms],
    ...missingIn(pages),
  };
  return writeRecording(tools.folder, complete, isUnchanged ? [] : pages, stateIn(pages));
}

const formOf = (
  records: readonly unknown[],
  guards: LiveSource['guards'],
): Pick<Recording, 'shape' | 'counts'> => ({
  shape: [...shapeOf(records)],
  ...(guards.counted.length === 0 ? {} : { counts: countsOf(records, guards) }),
});

const stateIn = (pages: readonly PageReading[]): unknown =>
  pages.findLast(({ state }) => state !== undefined)?.state;

function missingIn(pages: readonly PageReading[]): Pick<Recording, 'missing'> {
  const missing = pages.flatMap((page) => page.missing ?? []);
  return missing.length === 0 ? {} : { missing };
}

/** The suspect recordings since the last good one that agree with this reading. */
function confirmedBy(
  received: ReceivedRecords,
  doubts: readonly Doubt[],
  earlier: readonly Recording[],
): string[] {
  const since = earlier.findLastIndex(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged');
  return earlier
    .slice(since + 1)
    .filter((one) => one.outcome === 'suspect' && agrees(received, doubts, one))
    .map(({ id }) => id);
}

/** Compares with the last accepted recording only: a return to an earlier value is a change. */
async function isSame(
  { records, sha256, is_windowed }: ReceivedRecords,
  { source, earlier }: Reading,
  { folder }: RecordingTools,
): Promise<boolean> {
  if (is_windowed) return isSameContent(records, source, { earlier, folder });
  return earlier.findLast(({ outcome }) => outcome === 'accepted')?.sha256 === sha256;
}

/** A short hash of the last record, because the record itself may repeat a secret. */
function newestOf(records: readonly unknown[]): string | null {
  const last = records.at(-1);
  return last === undefined ? null : sha256Of(Buffer.from(JSON.stringify(last))).slice(0, 16);
}
