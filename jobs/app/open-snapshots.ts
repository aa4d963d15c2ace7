// Where versions are published, and the right to publish there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openObjectStore, requireConditions } from '../../platform/storage/s3/open-store.ts';
import { Claim } from '../../snapshots/claim.ts';
import type { Config } from '../config.ts';

type StoreConfig = Pick<Config, 'settings' | 'store_env'>;

export interface StoreEffects {
  readonly nowMs: () => number;
  /** Spreads retries; uniform in [0, 1). */
  readonly random: () => number;
}

/** `disk`: the leader's disk, when the caller publishes to a folder. */
export const openSnapshots = (
  { settings, store_env: env }: StoreConfig,
  { nowMs, random }: StoreEffects,
  disk: Disk = nodeDisk,
): ObjectStore => openObjectStore(settings, { disk, env, nowMs, random, wait: (ms) => wait(ms) });

export interface ClaimEffects {
  /** Fresh random bytes. */
  readonly makeKey: () => Uint8Array;
  /** The leader's term, if several hosts take turns. Without a term, the newest writer replaces the previous one. */
  readonly term?: TermMark | null;
}

/** Undefined for a folder, where the folder's lock keeps writers apart. */
export async function claimSnapshots(
  { settings }: StoreConfig,
  snapshots: ObjectStore,
  { makeKey, term }: ClaimEffects,
): Promise<Claim | undefined> {
  if (settings.snapshot_store === '') return undefined;
  await requireConditions(snapshots, hexOf(makeKey()));
  const installation = installationOf(settings, term, makeKey);
  return await Claim.take(snapshots, { installation, term: term?.number ?? null });
}

/** The same for all hosts that share a bucket. */
export const installationOf = (
  settings: Config['settings'],
  term: TermMark | null | undefined,
  makeKey: ClaimEffects['makeKey'],
): string => term?.installation ?? (settings.installation || installationIn(settings.data_dir, makeKey));

/** The name of this data folder, created on first use. */
function installationIn(dataDir: string, makeKey: () => Uint8Array): string {
  const file = join(dataDir, 'installation.txt');
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, `${hexOf(makeKey())}\n`, { flush: true });
  const name = readFileSync(file, 'utf8').trim();
  if (/^[0-9a-f]{32}$/.test(name)) return name;
  throw new Error(
    `${file} does not hold the name of this installation, 32 characters of 0-9 and a-f. Restore it, or set INSTALLATION to the name in the pointer of SNAPSHOT_STORE.`,
  );
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').slice(0, 32);
