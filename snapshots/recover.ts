// Finds the end of the event log when the writer starts. The rename of a segment is the commit of an append, so segments
// that no manifest names yet belong to the log; those that a later, longer segment covers do not.
import { sha256Hex } from '../platform/storage/canonical.ts';
import type { Claim } from './claim.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import type { IntactFiles } from './intact.ts';
import { EVENTS_FOLDER, type SegmentEntry, segmentPath } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { readPresent, SEGMENT_ADVICE } from './read.ts';
import { segmentEvents, segmentRange } from './segment.ts';

interface Range {
  readonly name: string;
  readonly first: string;
  readonly last: string;
}

export interface RecoverOptions {
  readonly intact: IntactFiles;
  /** Names the segments beyond the known ones, if others could have written some. */
  readonly claim?: Pick<Claim, 'tail'> | undefined;
}

/** Known segments are checked against their hashes; adopted ones are read completely. */
export async function recoverSegments(
  store: ObjectStore,
  known: readonly SegmentEntry[],
  { intact, claim }: RecoverOptions,
): Promise<SegmentEntry[]> {
  const names = claim === undefined ? await store.names(`${EVENTS_FOLDER}/`) : claim.tail;
  const onDisk = names.flatMap(toRange);
  const adopted = unknownTail(onDisk, known.at(-1)?.last ?? '');
  const firstAdopted = adopted[0]?.first;
  const kept = known.filter(({ last }) => firstAdopted === undefined || last < firstAdopted);
  checkSeam(store, known[kept.length], adopted[0]);
  for (const entry of known)
    await intact.check(store, segmentPath(entry.name), {
      entry,
      advice: SEGMENT_ADVICE,
    });
  await store.settle(adopted.map(({ name }) => segmentPath(name)));
  const entries: SegmentEntry[] = [];
  for (const range of adopted)
    entries.push(await describeSegment(store, range, range === adopted[0] ? known.slice(kept.length) : []));
  return [...kept, ...entries];
}

const toRange = (name: string): Range[] => {
  const range = segmentRange(name);
  return range === null ? [] : [{ name, ...range }];
};

/**
 * The newest file ends the log; it is preceded by the file with the greatest end before its start, and so on back to the known segments.
 * Each append created exactly one file with its end, so the chain is unambiguous.
 */
function unknownTail(onDisk: readonly Range[], lastKnown: string): Range[] {
  const newestFirst = onDisk
    .filter(({ last }) => last > lastKnown)
    .sort((a, b) => (a.last < b.last ? 1 : -1));
  const tail: Range[] = [];
  for (const range of newestFirst) {
    const next = tail[0];
    if (next === undefined || range.last < next.first) tail.unshift(range);
  }
  return tail;
}

/** An adopted segment that reaches back into known ones covers them completely. */
function checkSeam(store: ObjectStore, covered: SegmentEntry | undefined, adopted: Range | undefined): void {
  if (covered === undefined || adopted === undefined || covered.first === adopted.first) return;
  throw new DamagedFileError({
    file: store.nameOf(segmentPath(adopted.name)),
    expected: `a start at ${covered.first} or after ${covered.last}`,
    actual: adopted.first,
    advice: UNPUBLISHED_ADVICE,
  });
}

/** `covered` are published segments that this one begins with. */
async function describeSegment(
  store: ObjectStore,
  range: Range,
  covered: readonly SegmentEntry[],
): Promise<SegmentEntry> {
  const path = segmentPath(range.name);
  const file = store.nameOf(path);
  const bytes = await readPresent(store, { path, advice: UNPUBLISHED_ADVICE });
  checkCovered(bytes, covered, file);
  const ids: string[] = [];
  const times: string[] = [];
  for (const { id, envelope } of segmentEvents(bytes, file, UNPUBLISHED_ADVICE)) {
    if (id <= (ids.at(-1) ?? '')) throw disorder(file, id);
    ids.push(id);
    times.push(eventTime(envelope, file));
  }
  if (ids[0] !== range.first || ids.at(-1) !== range.last) throw disorder(file, ids.at(-1) ?? 'no event');
  return { ...range, count: ids.length, bytes: bytes.length, sha256: sha256Hex(bytes), ...timeSpan(times) };
}

/** A flipped bit must not change what is already published. */
function checkCovered(bytes: Buffer, covered: readonly SegmentEntry[], file: string): void {
  let offset = 0;
  for (const { name, bytes: length, sha256 } of covered) {
    const actual = sha256Hex(bytes.subarray(offset, offset + length));
    if (actual !== sha256)
      throw new DamagedFileError({
        file,
        expected: `the bytes of ${name} from byte ${offset} on`,
        actual: 'other bytes',
        advice: UNPUBLISHED_ADVICE,
      });
    offset += length;
  }
}

function eventTime(envelope: Buffer, file: string): string {
  try {
    const { ts } = JSON.parse(envelope.toString()) as { ts: unknown };
    if (typeof ts === 'string' && !Number.isNaN(Date.parse(ts))) return ts;
  } catch (cause) {
    throw new DamagedFileError(
      { file, expected: 'JSON envelopes', actual: 'other text', advice: UNPUBLISHED_ADVICE },
      { cause },
    );
  }
  throw new DamagedFileError({
    file,
    expected: 'a time in each event',
    actual: 'none',
    advice: UNPUBLISHED_ADVICE,
  });
}

/** Earliest and latest of the given instants, as written. */
export function timeSpan(times: readonly string[]): { from_ts: string; to_ts: string } {
  const [first = ''] = times;
  let from_ts = first;
  let to_ts = first;
  for (const time of times) {
    if (Date.parse(time) < Date.parse(from_ts)) from_ts = time;
    if (Date.parse(time) > Date.parse(to_ts)) to_ts = time;
  }
  return { from_ts, to_ts };
}

const disorder = (file: string, actual: string) =>
  new DamagedFileError({
    file,
    expected: 'ids in order, as its name says',
    actual,
    advice: UNPUBLISHED_ADVICE,
  });

const UNPUBLISHED_ADVICE =
  'Restore it from a copy, or move it away: its events were not published, and a run over their period finds them again.';
