// A reader publishes which versions it holds, so that they are not collected while in use: one small file per reader, with its last
// heartbeat. A lease, not a lock: readers may run on other machines. A reader without write access relies on the retention time.
import { canonicalJson } from '../platform/storage/canonical.ts';
import { READERS_FOLDER, readerPath } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';

export interface Lease {
  readonly id: string;
  readonly versions: readonly string[];
  /** Unix milliseconds. */
  readonly heartbeat_ms: number;
}

/** Also serves as the heartbeat: call it again well within the time to live, with all versions still held. */
export async function holdVersions(store: ObjectStore, lease: Lease): Promise<void> {
  if (!/^[A-Za-z0-9_-]+$/.test(lease.id))
    throw new RangeError(
      `Reader id ${JSON.stringify(lease.id)} has other characters than A-Z, a-z, 0-9, "_" and "-".`,
    );
  await store.replace(readerPath(lease.id), Buffer.from(`${canonicalJson(lease)}\n`));
}

export const releaseVersions = (store: ObjectStore, id: string): Promise<void> =>
  store.remove([readerPath(id)]);

export interface LeaseSurvey {
  readonly held: ReadonlySet<string>;
  /** Files of readers without a recent heartbeat, relative to the snapshot folder. */
  readonly expired: readonly string[];
  /** Live readers whose files cannot be read: what they hold is unknown, so nothing may be collected. */
  readonly unreadable: readonly string[];
}

export async function surveyLeases(
  store: ObjectStore,
  now: { nowMs: number; leaseTtlMs: number },
): Promise<LeaseSurvey> {
  const held = new Set<string>();
  const expired: string[] = [];
  const unreadable: string[] = [];
  for (const name of await store.names(`${READERS_FOLDER}/`)) {
    const path = `${READERS_FOLDER}/${name}`;
    const seen = await lastSeen(store, path);
    if (seen === null) continue;
    if (now.nowMs - seen.heartbeat_ms > now.leaseTtlMs) expired.push(path);
    else if (seen.versions !== null) for (const version of seen.versions) held.add(version);
    else if (name.endsWith('.json')) unreadable.push(path);
  }
  return { held, expired, unreadable };
}

/** `versions` is null when the file is not a lease; the result is null when it has disappeared. */
async function lastSeen(
  store: ObjectStore,
  path: string,
): Promise<{ heartbeat_ms: number; versions: readonly string[] | null } | null> {
  const bytes = path.endsWith('.json') ? await store.get(path) : null;
  const lease = bytes === null ? null : parseLease(bytes);
  if (lease !== null) return lease;
  const facts = await store.facts(path);
  return facts && { heartbeat_ms: facts.modifiedMs, versions: null };
}

function parseLease(bytes: Buffer): Lease | null {
  try {
    const { id, versions, heartbeat_ms } = JSON.parse(bytes.toString()) as Partial<Lease>;
    const isLease = typeof id === 'string' && Array.isArray(versions) && typeof heartbeat_ms === 'number';
    return isLease ? { id, versions, heartbeat_ms } : null;
  } catch {
    return null;
  }
}
