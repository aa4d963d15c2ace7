// Opens from the settings what job hosts share in a bucket (DATA_STORE): the leader's copy, a reader's copy, and recordings.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { scrubberOf } from '../../platform/base/secrets.ts';
import type { Lease } from '../../platform/leases/leases.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openBucket, requireConditions } from '../../platform/storage/s3/open-store.ts';
import type { Config } from '../config.ts';
import { type DataFolder, makeFolder, TEMPORARY_FOLDER } from '../ingest/data-folder.ts';
import { nodeSourceFiles, type SourceFiles } from '../ingest/read/source-files.ts';
import { writeCatalogue } from '../ingest/receipts/catalogue.ts';
import { entryOf } from '../ingest/receipts/recover.ts';
import { surveyLanding } from '../ingest/receipts/survey.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import type { RecordingFolder } from '../sources/live/fetch/recording-store.ts';
import { Journal, readShared } from './copies/journal.ts';
import { keyOf } from './copies/journal-form.ts';
import { SharedFolder } from './copies/landing-disk.ts';
import { pull, refresh } from './copies/pull.ts';
import { recordingsDisk } from './copies/recordings-disk.ts';
import { authorKey } from './installation-keys.ts';
import { installationOf, type StoreEffects } from './open-snapshots.ts';

type StoreConfig = Pick<Config, 'settings' | 'store_env'>;
type RecordingConfig = Pick<Config, 'settings' | 'store_env' | 'secrets'>;

/** Null if everything is in the data folder. @throws S3SettingsError */
export function dataStore(
  { settings, store_env: env }: StoreConfig,
  { nowMs, random }: StoreEffects,
): ObjectStore | null {
  if (settings.data_store === '') return null;
  const named = { setting: 'DATA_STORE', address: settings.data_store };
  return openBucket(named, settings, { env, nowMs, random, wait: (ms) => wait(ms) });
}

export interface EnterEffects extends StoreEffects {
  /** Fresh random bytes. */
  readonly makeKey: () => Uint8Array;
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
}

export interface TermStart {
  readonly shared: SharedFolder;
  readonly own: TermMark;
  /** The previous leader. */
  readonly before: TermMark | null;
}

/** Begins a term in the bucket and makes the data folder its copy. @throws StaleTermError, StoreError, DamagedFileError */
export async function enterShared(
  { settings }: StoreConfig,
  store: ObjectStore,
  { lease, makeKey, reporter }: Pick<EnterEffects, 'makeKey' | 'reporter'> & { readonly lease: Lease },
): Promise<TermStart> {
  const { data_dir: dir } = settings;
  await requireConditions(store, Buffer.from(makeKey()).toString('hex'));
  const installation = installationOf(settings, lease.term, makeKey);
  const { journal, before } = await Journal.enter(store, {
    installation,
    number: lease.term?.number ?? null,
  });
  const copy = { disk: nodeDisk, dir, store };
  const pulled = await pull(copy, journal, () => listReceipts(copy));
  if (pulled.fetched + pulled.removed > 0)
    reporter.step('the data folder is a copy of DATA_STORE', { ...pulled });
  const warn = (message: string) => reporter.warn(message);
  const shared = new SharedFolder({ ...copy, journal, isHeld: () => lease.isHeld(), warn });
  return { shared, own: journal.leader, before };
}

/** For commands that only read; works on any job host. */
export async function refreshCopy(
  { settings, store_env }: StoreConfig,
  effects: StoreEffects,
): Promise<void> {
  const store = dataStore({ settings, store_env }, effects);
  const shared = store && (await readShared(store));
  if (store && shared) await refresh({ disk: nodeDisk, dir: settings.data_dir, store }, shared);
}

export interface SharedFile {
  /** For messages. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A file that all job hosts share, as the bucket has it now; null if there is none. `path` is relative to the data folder. */
export async function readSharedFile(
  config: StoreConfig,
  effects: StoreEffects,
  path: string,
): Promise<SharedFile | null> {
  const store = dataStore(config, effects);
  const record = store && (await readShared(store))?.files.get(path);
  if (!store || !record) return null;
  const key = keyOf(path, record);
  const bytes = await store.get(key, record.sha256);
  return bytes && { name: store.nameOf(key), bytes };
}

export interface Recordings {
  readonly folder: RecordingFolder;
  /** Reads files that sources deliver, including bodies that only the bucket has. */
  readonly files: SourceFiles;
}

export function openRecordings(config: RecordingConfig, effects: StoreEffects): Recordings {
  const { data_dir: dir } = config.settings;
  const store = dataStore(config, effects);
  const scrubber = scrubberOf(config.secrets);
  if (store === null) return { folder: { disk: nodeDisk, dir, scrubber }, files: nodeSourceFiles };
  const { disk, fetch } = recordingsDisk({ disk: nodeDisk, dir, store, nowMs: effects.nowMs });
  return { folder: { disk, dir, scrubber }, files: fetching(fetch) };
}

const fetching = (fetch: (path: string) => Promise<void>): SourceFiles => ({
  async stat(path) {
    await fetch(path);
    return nodeSourceFiles.stat(path);
  },
  read: (path, bytes) => nodeSourceFiles.read(path, bytes),
});

const AUTHOR_KEY = 'recordings-key.txt';

/** All hosts must use the same key; otherwise the same author would get a second pseudonym. */
export async function requireAuthorKey(
  config: StoreConfig,
  effects: Pick<EnterEffects, 'nowMs' | 'random' | 'makeKey'>,
): Promise<void> {
  const store = dataStore(config, effects);
  if (store === null) return;
  const file = join(config.settings.data_dir, 'author.key');
  const key = authorKey(file, effects.makeKey);
  const own = Buffer.from(createHash('sha256').update(`author key\n${key}`).digest('hex'));
  await store.putOnce(AUTHOR_KEY, [own]);
  if ((await store.get(AUTHOR_KEY))?.equals(own) === true) return;
  throw new Error(
    `${file} is not the key that the author pseudonyms in ${store.nameOf('')} were made with. Copy the file from the first job host.`,
  );
}

// Writes the list of receipts of a folder that was just made a copy of what hosts share, so that exactly the right receipts are there.

/** Leaves receipts of an older version to the opening of landing, which gives them hashes and a list. Only for the single writer. */
export async function listReceipts(folder: DataFolder): Promise<void> {
  const { receipts, pending } = await surveyLanding(folder);
  if (!receipts.every(({ isSealed }) => isSealed)) return;
  await makeFolder(folder, TEMPORARY_FOLDER);
  await writeCatalogue(folder, receipts.filter((receipt) => !pending.includes(receipt)).map(entryOf));
}
