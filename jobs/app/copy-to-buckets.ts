// Carries out `copy`: copies what job hosts and servers share from folders to buckets.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { forEachAtOnce, mapAtOnce } from '../../platform/base/tasks.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import { DamagedFileError, RefusedInputError } from '../../platform/storage/errors.ts';
import { FolderObjectStore } from '../../platform/storage/folder-store.ts';
import { MAX_REQUESTS_AT_ONCE, type ObjectStore } from '../../platform/storage/object-store.ts';
import { openBucket, requireConditions } from '../../platform/storage/s3/open-store.ts';
import { POINTER_FILE } from '../../snapshots/layout.ts';
import { EXIT, type ExitCode } from '../commands/exit-codes.ts';
import type { CopyRequest } from '../commands/parse.ts';
import type { Config } from '../config.ts';
import { assertLandingWhole } from '../ingest/receipts/verify.ts';
import { Journal } from './copies/journal.ts';
import { type Entry, keyOf, UNCLAIMED } from './copies/journal-form.ts';
import { isShared } from './copies/landing-disk.ts';
import { installationOf, openSnapshots, type StoreEffects } from './open-snapshots.ts';

export interface CopyEffects extends StoreEffects {
  readonly makeKey: () => Uint8Array;
  readonly print: (line: string) => void;
}

/** The caller is the leader. @throws UsageError if the data is already in buckets, RefusedInputError, IngestError, StoreError */
export async function copyToBuckets(
  config: Config,
  { to_data, to_snapshots }: CopyRequest,
  { nowMs, random, makeKey, print }: CopyEffects,
): Promise<ExitCode> {
  const { settings, store_env: env } = config;
  if (settings.data_store !== '' || settings.snapshot_store !== '')
    throw new UsageError('Copy reads from folders: unset DATA_STORE and SNAPSHOT_STORE.');
  const bucket = (setting: string, address: string): ObjectStore =>
    openBucket({ setting, address }, settings, { env, nowMs, random, wait: (ms) => wait(ms) });
  const to = { data: bucket('--to-data', to_data), snapshots: bucket('--to-snapshots', to_snapshots) };
  for (const store of [to.data, to.snapshots])
    await requireConditions(store, Buffer.from(makeKey()).toString('hex'));
  const folder = { disk: nodeDisk, dir: settings.data_dir };
  await assertLandingWhole(folder);
  const installation = installationOf(settings, null, makeKey);
  const snapshots = openSnapshots(config, { nowMs, random });
  const copied = await copyInstallation({ ...folder, snapshots, to, installation });
  print(
    `Copied and compared: ${copied.landing} landing files, ${copied.recordings} recording files, ${copied.published} published files and ${copied.runs} ledger lines; ${copied.bytes} bytes.`,
  );
  print(
    `Next: set DATA_STORE=${to_data} and SNAPSHOT_STORE=${to_snapshots}, give each job host an empty DATA_DIR and the same landing.key and author.key, and start the jobs. ${settings.data_dir} is unchanged. Keys and subscriptions stay in OPS_STORE; to move them as well, use the command \`copy-store --to postgres://…\` of the server.`,
  );
  return EXIT.done;
}

/** Names the installation that is filling a bucket; removed when everything is there. */
const MARK = 'copying.txt';
const TERM = 1;
const LEDGER = 'ledger.ndjson';

interface InstallationCopy {
  readonly disk: Disk;
  /** The data folder, which nothing changes during the copy. */
  readonly dir: string;
  readonly snapshots: ObjectStore;
  readonly to: { readonly data: ObjectStore; readonly snapshots: ObjectStore };
  /** Identifies the folder, so that no other folder continues this copy. */
  readonly installation: string;
}

interface CopyCounts {
  readonly landing: number;
  readonly recordings: number;
  readonly published: number;
  readonly runs: number;
  readonly bytes: number;
}

/**
 * Copies the data folder and the published versions of an installation to buckets. It can be interrupted and run again: existing objects
 * are compared and not rewritten. Nothing refers to a copied object until all of them are there.
 * @throws RefusedInputError for a target that is in use, DamagedFileError when a copy differs from its original, StoreError
 */
export async function copyInstallation(copying: InstallationCopy): Promise<CopyCounts> {
  const { disk, dir, snapshots, to, installation } = copying;
  await claimBoth(to, installation);
  const folder = new FolderObjectStore(disk, dir);
  const all = await folder.list('');
  const sizes: number[] = [];
  const put = async (target: ObjectStore, key: string, bytes: Buffer | null) => {
    if (bytes !== null) sizes.push(await putVerified(target, key, bytes));
  };
  const landing = all.filter(isShared);
  const entries = await mapAtOnce(MAX_REQUESTS_AT_ONCE, landing, async (path) => {
    const bytes = await disk.read(join(dir, path));
    const entry = entryOf(path, bytes);
    await put(to.data, keyOf(path, entry), bytes);
    return entry;
  });
  // Bodies before the descriptions that make them count, and files before the pointer.
  const recordings = all.filter((path) => /^recordings\/(?!\.tmp\/)/.test(path));
  await inTwo(
    recordings,
    (path) => path.endsWith('.json'),
    async (path) => put(to.data, path, await disk.read(join(dir, path))),
  );
  const published = (await snapshots.list('')).filter((key) => !/^(readers\/|\.)/.test(key));
  await inTwo(
    published,
    (key) => key === POINTER_FILE,
    async (key) => put(to.snapshots, key, await snapshots.get(key)),
  );
  const runs = await writeJournal(
    to.data,
    entries,
    ledgerOf(all.includes(LEDGER) ? join(dir, LEDGER) : null),
  );
  for (const target of [to.snapshots, to.data]) await target.remove([MARK]);
  const counts = { landing: landing.length, recordings: recordings.length, published: published.length };
  return { ...counts, runs, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const entryOf = (path: string, bytes: Buffer) => ({ put: path, sha256: sha256Hex(bytes), term: TERM });

/** Puts the keys for which `isLast` holds only when all others are there. */
async function inTwo(
  keys: readonly string[],
  isLast: (key: string) => boolean,
  put: (key: string) => Promise<void>,
): Promise<void> {
  for (const half of [false, true])
    await forEachAtOnce(
      MAX_REQUESTS_AT_ONCE,
      keys.filter((key) => isLast(key) === half),
      put,
    );
}

/** The data bucket's mark is set last and removed last: while it exists, the copy is in progress in both buckets. */
async function claimBoth({ data, snapshots }: InstallationCopy['to'], installation: string): Promise<void> {
  if ((await data.get(MARK))?.toString('utf8') === installation) return;
  for (const target of [snapshots, data]) await claim(target, installation);
}

async function claim(target: ObjectStore, installation: string): Promise<void> {
  const mark = (await target.get(MARK))?.toString('utf8') ?? null;
  if (mark === installation) return;
  const names = await target.names('');
  if (mark !== null || names.length > 0)
    throw new RefusedInputError(
      `${target.nameOf('')} is not empty: it holds ${names.slice(0, 3).join(', ')}. Nothing was copied; choose another prefix.`,
    );
  await target.putOnce(MARK, [Buffer.from(installation)]);
}

/** Reads back what this attempt, or an earlier one, wrote. Resolves to the number of bytes. */
async function putVerified(target: ObjectStore, key: string, bytes: Buffer): Promise<number> {
  await target.putOnce(key, [bytes]);
  const there = await target.get(key);
  if (there?.equals(bytes) === true) return bytes.length;
  throw new DamagedFileError({
    file: target.nameOf(key),
    expected: `sha256 ${sha256Hex(bytes)}`,
    actual: there === null ? 'nothing' : `sha256 ${sha256Hex(there)}`,
    advice: 'Remove it and copy again, with everything stopped.',
  });
}

const ledgerOf = (file: string | null): string[] =>
  file === null
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');

/** Writes everything in one change. The bucket stays unclaimed: the first installation that leads takes it over. */
async function writeJournal(
  store: ObjectStore,
  entries: readonly Entry[],
  ledger: readonly string[],
): Promise<number> {
  const { journal } = await Journal.enter(store, { installation: UNCLAIMED, number: null });
  if (journal.files.size === 0 && journal.ledger.length === 0)
    await journal.append([...entries, ...ledger.map((ran) => ({ ran }))]);
  return ledger.length;
}
