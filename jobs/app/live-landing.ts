// What a run uses of fetched sources: their recordings as sources of landing, how far and how they were read, and which recordings it may
// remove.
import { DAY_S } from '../../platform/base/time.ts';
import { isMissing } from '../../platform/storage/disk.ts';
import type { Config } from '../config.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { Source } from '../define/source.ts';
import type { Ingest } from '../ingest/land.ts';
import type { Receipt } from '../ingest/receipts/receipt.ts';
import { contentsOf } from '../ingest/receipts/receipts.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { landingSources } from '../sources/live/fetch/landing-sources.ts';
import type { LiveSource } from '../sources/live/fetch/live-source.ts';
import { isRead } from '../sources/live/fetch/plan-windows.ts';
import { hasRowsFor, landable, type RecordedPage, type Recording } from '../sources/live/fetch/recording.ts';
import {
  bodyPath,
  type RecordingFolder,
  readRecordings,
  removeRecording,
} from '../sources/live/fetch/recording-store.ts';
import { ReadingLog } from '../sources/live/fetch/source-readings.ts';
import { stateLog } from '../sources/live/fetch/state-log.ts';

/** In the order in which a run reads them: first the recordings, then the readings and states of the sources derived from them. */
export function liveLanding(
  config: Config,
  rawTables: readonly RawTable[],
  folder: RecordingFolder,
): readonly Source[] {
  const has = (table: string) => rawTables.some(({ name }) => name === table);
  const sources = config.live_sources.filter(({ table }) => has(table));
  const hasSecret = (name: string) => name in config.secrets;
  const readings = new ReadingLog();
  const unpublished = new Set(
    rawTables.filter(({ isAboutSources }) => isAboutSources).map(({ name }) => name),
  );
  const landing = landingSources(sources, folder, hasSecret, readings, unpublished);
  return [
    ...landing,
    ...(landing.length > 0 && has('source_reading') ? readings.sources() : []),
    ...(sources.length > 0 && has('source_state')
      ? [stateLog({ sources, folder, hasSecret, rawTables })]
      : []),
  ];
}

export interface TidyingTools {
  /** Sources of the run. */
  readonly sources: readonly Source[];
  readonly ingest: Pick<Ingest, 'receipts'>;
  readonly nowMs: () => number;
  readonly folder: RecordingFolder;
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
}

const MEGABYTE = 1_048_576;

/** Removes recordings that are no longer needed. Does nothing if nothing is fetched. */
export async function tidyLive(config: Config, tools: TidyingTools): Promise<void> {
  const { live_sources: sources, settings } = config;
  if (sources.length === 0) return;
  const { recordings_keep_days: days, recordings_max_mb: megabytes } = settings;
  const tidied = await tidyRecordings({
    sources,
    landing: new Set(tools.sources.map(({ facts }) => facts.id)),
    folder: tools.folder,
    receiptsOf: (table) => tools.ingest.receipts(table),
    limits: { keep_s: days * DAY_S, max_bytes: megabytes * MEGABYTE },
    now: tools.nowMs() / 1000,
  });
  report(tidied, megabytes, tools.reporter);
}

function report(
  { removed, removed_bytes, left_bytes }: TidyResult,
  megabytes: number,
  { step, warn }: TidyingTools['reporter'],
): void {
  const inMegabytes = (bytes: number) => Math.round(bytes / MEGABYTE);
  if (removed > 0)
    step('removed recordings that have landed', { recordings: removed, mb: inMegabytes(removed_bytes) });
  if (left_bytes > megabytes * MEGABYTE)
    warn(
      `recordings take ${inMegabytes(left_bytes)} MB, but only ${megabytes} MB are allowed: those that remain have not landed, have rows in quarantine, or would be read again. Raise recordings_max_mb, or redrive the quarantine.`,
    );
}

interface TidyRequest {
  readonly sources: readonly LiveSource[];
  /** Ids of the sources whose rows land. */
  readonly landing: ReadonlySet<string>;
  readonly folder: RecordingFolder;
  readonly receiptsOf: (table: string) => readonly Receipt[];
  readonly limits: Limits;
  /** Unix seconds. */
  readonly now: number;
}

interface TidyResult {
  readonly removed: number;
  readonly removed_bytes: number;
  readonly left_bytes: number;
}

/** Removes recordings that are no longer needed, once an hour, after a run. Only recordings that have landed may be removed. */
export async function tidyRecordings(tidying: TidyRequest): Promise<TidyResult> {
  const { sources, folder, limits, now } = tidying;
  const all: StoredRecording[] = [];
  for (const source of sources.filter(({ request }) => request !== null)) {
    const recordings = await readRecordings(folder, source.id);
    const served = new Set(servedRecordings(source, recordings, usesOf(source, tidying), now));
    for (const recording of recordings) {
      const bytes = await bytesOnDisk(folder, recording);
      all.push({ recording, bytes, has_served: served.has(recording) });
    }
  }
  const { remove, left_bytes } = recordingsToRemove(all, limits, now);
  for (const { recording } of remove) await removeRecording(folder, recording);
  return {
    removed: remove.length,
    removed_bytes: remove.reduce((sum, { bytes }) => sum + bytes, 0),
    left_bytes,
  };
}

function usesOf(source: LiveSource, { sources, landing, folder, receiptsOf }: TidyRequest): Uses {
  const mapping = sources.filter(({ id, fetched_by }) => fetched_by === source.id && landing.has(id));
  const uses = mapping.map((source) => {
    const receipts = receiptsOf(source.table).filter((one) => one.source.id === source.id);
    return { source, receipts, landed: new Set(receipts.flatMap(contentsOf)) };
  });
  const refused = new Set(uses.flatMap(({ receipts }) => receipts).flatMap(refusedPaths));
  const hasLanded = (page: RecordedPage) =>
    uses.every(({ source, landed }) => landed.has(page.file_sha256) || !hasRowsFor(page, source.mapping));
  return {
    hasLanded: (page) => (uses.length === 0 ? null : hasLanded(page)),
    isInQuarantine: (recording, page) => refused.has(bodyPath(folder, recording, page)),
  };
}

/** Files with rows in quarantine, including files of batches that were compacted. */
function refusedPaths({ rows_quarantined, origin, origins = {} }: Receipt): readonly string[] {
  const own = rows_quarantined > 0 ? [origin] : [];
  return [...own, ...Object.values(origins)].flatMap(({ path }) => path ?? []);
}

async function bytesOnDisk({ disk, ...folder }: RecordingFolder, recording: Recording): Promise<number> {
  let sum = 0;
  for (const page of recording.pages)
    try {
      sum += (await disk.stat(bodyPath({ disk, ...folder }, recording, page))).bytes;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  return sum;
}

// Which recordings have served: their rows have landed, nothing refers to them, and no later reading continues from them. They are removed
// when they are old, or when all recordings together take more space than allowed.

/** Number of newest recordings of each partition that stay, because guards and the schedule use them. */
const KEPT_NEWEST = 20;

interface Uses {
  /** Whether the rows of a page have landed for every source that maps it; null if no source lands it. */
  readonly hasLanded: (page: RecordedPage) => boolean | null;
  /** Whether quarantined rows name the page as the file that they came from. */
  readonly isInQuarantine: (recording: Recording, page: RecordedPage) => boolean;
}

/** Returns those recordings of one source, given oldest first, that may be removed. `now` in Unix seconds. */
export function servedRecordings(
  { window, partitions }: Pick<LiveSource, 'window' | 'partitions'>,
  recordings: readonly Recording[],
  { hasLanded, isInQuarantine }: Uses,
  now: number,
): readonly Recording[] {
  const lands = new Set(landable(recordings).map(({ id }) => id));
  const needed = new Set(partitions.flatMap(({ key }) => neededOf(recordings, key)));
  // A recording removed from the history would be read again.
  const history = window === null ? 0 : window.history_s + window.overlap_s + window.step_s;
  return recordings.filter((recording) => {
    if (needed.has(recording.id) || recording.fetched_at > now - history) return false;
    const pages = recording.pages.filter(({ records }) => records > 0);
    if (pages.some((page) => isInQuarantine(recording, page))) return false;
    if (lands.has(recording.id)) return pages.every((page) => hasLanded(page) === true);
    // A suspect reading stays until a later one is accepted.
    return recording.outcome !== 'suspect' || isPast(recording, recordings);
  });
}

function neededOf(recordings: readonly Recording[], partition: string): readonly string[] {
  const own = recordings.filter((one) => one.partition === partition);
  const continued = own.findLast(({ state }) => state !== undefined);
  const accepted = own.findLast(({ outcome }) => outcome === 'accepted');
  return [...own.slice(-KEPT_NEWEST), ...[continued, accepted].flatMap((one) => one ?? [])].map(
    ({ id }) => id,
  );
}

const isPast = ({ id, partition }: Recording, recordings: readonly Recording[]): boolean =>
  recordings.some((one) => one.partition === partition && one.id > id && isRead(one));

interface Limits {
  /** Age in seconds up to which a recording that has served is kept. */
  readonly keep_s: number;
  readonly max_bytes: number;
}

interface StoredRecording {
  readonly recording: Recording;
  /** Size on disk. */
  readonly bytes: number;
  readonly has_served: boolean;
}

/** Selects what to remove: all recordings that have served and are old, then the oldest others that have served, until the rest fits. */
export function recordingsToRemove(
  all: readonly StoredRecording[],
  { keep_s, max_bytes }: Limits,
  now: number,
) {
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const remove: StoredRecording[] = [];
  const served = all.filter(({ has_served }) => has_served);
  for (const one of served.sort((a, b) => a.recording.fetched_at - b.recording.fetched_at)) {
    if (one.recording.fetched_at > now - keep_s && bytes <= max_bytes) continue;
    remove.push(one);
    bytes -= one.bytes;
  }
  return { remove, left_bytes: bytes };
}
