// Checks the consistency of kept versions: each follows the version that it names, time and ids never go backward, and each event log
// begins with the log of the previous version, byte for byte.
import { hash } from 'node:crypto';
import { RefusedInputError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import type { CollectedNote } from './collected.ts';
import { type Manifest, type SegmentEntry, segmentPath } from './layout.ts';
import { isRetracted } from './read.ts';
import { checkSegmentChain } from './segment.ts';

export interface ChainProblem {
  readonly version: string;
  readonly problem: string;
}

export interface Chain {
  /** Manifests that can be read, oldest first. */
  readonly manifests: readonly Manifest[];
  /** Versions whose folder exists without a readable manifest; they are reported separately. */
  readonly unreadable: ReadonlySet<string>;
  /** What was collected; null if nothing was, or if it is not recorded. */
  readonly collected: CollectedNote | null;
  /** Whether the event logs are read and compared too. */
  readonly withLogs: boolean;
}

export async function* chainProblems(
  store: ObjectStore,
  { manifests, unreadable, collected, withLogs }: Chain,
): AsyncGenerator<ChainProblem> {
  const byVersion = new Map(manifests.map((manifest) => [manifest.version, manifest]));
  for (const [index, manifest] of manifests.entries()) {
    const { version, previous } = manifest;
    const before = byVersion.get(previous ?? '') ?? manifests[index - 1];
    for (const problem of contradictions(manifest, before)) yield { version, problem };
    const isGone = previous !== null && !byVersion.has(previous) && !unreadable.has(previous);
    const isLost = collected === null ? index > 0 : (previous ?? '') > collected.through;
    if (isGone && isLost)
      yield { version, problem: `follows version ${previous}, which is lost: it was never collected` };
    if (withLogs && before !== undefined && !(await beginsWith(store, manifest, before)))
      yield { version, problem: `its event log does not begin with that of version ${before.version}` };
  }
  for (const version of collected?.kept ?? [])
    if (!(byVersion.has(version) || unreadable.has(version) || (await isRetracted(store, version))))
      yield { version, problem: 'is lost: it was kept when versions around it were collected' };
}

function* contradictions({ as_of, events }: Manifest, before: Manifest | undefined): Generator<string> {
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

/** Segments are merged by appending their bytes, so one log begins with another when its bytes do. */
async function beginsWith(store: ObjectStore, { events }: Manifest, before: Manifest): Promise<boolean> {
  const [now, then] = [events.segments, before.events.segments];
  const same = then.findIndex((segment, index) => segment.sha256 !== now[index]?.sha256);
  if (same === -1) return true;
  const older = await bytesOf(store, then.slice(same));
  const newer = await bytesOf(store, now.slice(same));
  if (older === null || newer === null) return true;
  return hash('sha256', older) === hash('sha256', newer.subarray(0, older.length));
}

/** Null if a segment is missing, which is reported separately. */
async function bytesOf(store: ObjectStore, segments: readonly SegmentEntry[]): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (const { name } of segments) {
    const bytes = await store.get(segmentPath(name));
    if (bytes === null) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
