// Removes recordings that are no longer needed, once an hour, after a run. Only recordings that have landed may be removed.
import { isMissing } from '../../platform/storage/disk.ts';
import type { Receipt } from '../ingest/receipts/receipt.ts';
import { contentsOf } from '../ingest/receipts/receipts.ts';
import type { LiveSource } from '../sources/live/fetch/live-source.ts';
import { hasRowsFor, type RecordedPage, type Recording } from '../sources/live/fetch/recording.ts';
import {
  type Limits,
  recordingsToRemove,
  servedRecordings,
  type Sized,
  type Uses,
} from '../sources/live/fetch/recording-retention.ts';
import {
  bodyPath,
  type RecordingFolder,
  readRecordings,
  removeRecording,
} from '../sources/live/fetch/recording-store.ts';

export interface Tidying {
  readonly sources: readonly LiveSource[];
  /** Ids of the sources whose rows land. */
  readonly landing: ReadonlySet<string>;
  readonly folder: RecordingFolder;
  readonly receiptsOf: (table: string) => readonly Receipt[];
  readonly limits: Limits;
  /** Unix seconds. */
  readonly now: number;
}

export interface Tidied {
  readonly removed: number;
  readonly removed_bytes: number;
  readonly left_bytes: number;
}

export async function tidyRecordings(tidying: Tidying): Promise<Tidied> {
  const { sources, folder, limits, now } = tidying;
  const all: Sized[] = [];
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

function usesOf(source: LiveSource, { sources, landing, folder, receiptsOf }: Tidying): Uses {
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
