// The state of a folder before a run: the version to continue from, and any problem that prevents continuing. A run stops at the first
// problem; `status` lists all of them.

import { ulidMs } from '../../../platform/base/ulid.ts';
import { DamagedFileError } from '../../../platform/storage/errors.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { type History, openHistory } from '../../../snapshots/history.ts';
import type { Manifest } from '../../../snapshots/layout.ts';
import { isRetracted, listVersions, versionFolders } from '../../../snapshots/read.ts';
import { aheadError, CLOCK_TOLERANCE_SECONDS, isAhead } from './clock.ts';
import { type BriefEntry, lastTick, lastVersion } from './ledger.ts';

export interface StandingInput {
  readonly snapshots: ObjectStore;
  readonly entries: readonly BriefEntry[];
  readonly nowMs: number;
}

export interface Standing {
  readonly history: History;
  /** Why no run may continue from this state. */
  readonly problems: readonly Error[];
}

/** The ledger and the published folder do not belong together. */
export class DisagreementError extends Error {
  override readonly name = 'DisagreementError';
}

const NOTHING: History = { head: null, isPointed: true, damage: [] };

export async function readStanding(input: StandingInput): Promise<Standing> {
  try {
    const history = await openHistory(input.snapshots);
    const ahead = await timeAhead(input, history.head);
    const torn = ahead === null ? await disagreement(input, history.head) : null;
    return { history, problems: [ahead, torn].filter((problem) => problem !== null) };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { history: NOTHING, problems: [error] };
  }
}

const asOfSeconds = (manifest: Manifest): number => Date.parse(manifest.as_of) / 1000;

async function timeAhead(input: StandingInput, head: Manifest | null): Promise<Error | null> {
  const { snapshots, entries, nowMs } = input;
  const newest = (await versionFolders(snapshots)).at(-1);
  const tick = lastTick(entries);
  const claims = [
    ...(head === null ? [] : [{ what: `Version ${head.version} is published`, at: asOfSeconds(head) }]),
    // Each publication can move an id one millisecond ahead of its logical time.
    ...(newest === undefined
      ? []
      : [{ what: `Version ${newest} was begun`, at: ulidMs(newest) / 1000 - CLOCK_TOLERANCE_SECONDS }]),
    ...(tick === null ? [] : [{ what: 'The ledger ends', at: tick }]),
  ];
  const claim = claims.find(({ at }) => isAhead(at, nowMs));
  return claim === undefined
    ? null
    : aheadError({ ...claim, nowMs, wayBack: await wayBack(snapshots, nowMs) });
}

/** The newest version that is not in the future, or the current time if there is none. */
export async function wayBack(snapshots: ObjectStore, nowMs: number): Promise<string> {
  const versions = await listVersions(snapshots);
  const past = versions.findLast((version) => ulidMs(version) <= nowMs);
  return past ?? new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** If the ledger records later versions or ticks than are published, one of the two is an older copy. */
async function disagreement(
  { snapshots, entries }: StandingInput,
  head: Manifest | null,
): Promise<Error | null> {
  const version = lastVersion(entries);
  const tick = lastTick(entries);
  const isLost =
    version !== null && version > (head?.version ?? '') && !(await isRetracted(snapshots, version));
  const isLate = tick !== null && tick > (head === null ? -1 : asOfSeconds(head));
  if (!isLost && !isLate) return null;
  const known = isLost
    ? `that version ${version} was published`
    : `a tick up to ${new Date((tick ?? 0) * 1000).toISOString()}`;
  if (head === null)
    return new DisagreementError(
      `The ledger records ${known}, but ${snapshots.nameOf('')} holds no version. Restore that folder from a copy (a mirror or a backup). To start over, with a new event log, move the ledger away too.`,
    );
  return new DisagreementError(
    `The ledger records ${known}, but ${snapshots.nameOf('')} ends with version ${head.version} as of ${head.as_of}. Restore whichever of the two is an older copy; to go on from what is published, use the command \`retract --to ${head.version}\` of the jobs.`,
  );
}
