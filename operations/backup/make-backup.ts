// Makes a backup while everything runs. The order keeps it consistent without stopping anything: first the ops store, whose deliveries never
// name an event that is not published; then the published head and the log up to it; the ledger up to that head; and last landing and the
// recordings, from which anything newer is computed again.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CATALOGUE } from '../../jobs/ingest/receipts/catalogue.ts';
import { HOUR_MS } from '../../platform/base/time.ts';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import { readInstallation } from '../../platform/processes/data-folder.ts';
import { refuseUnwritable } from '../../platform/processes/writable-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../platform/storage/folder-store.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { copyToFile } from '../../server/store/copy/copy-file.ts';
import type { Sealer } from '../../server/store/seal.ts';
import { StoreUnavailableError } from '../../server/store/store.ts';
import { BACKUP_FORMAT, type Backup, type BackupFile } from './backup-form.ts';
import { keyMarkOf, sealedKey } from './backup-key.ts';
import {
  folderOriginals,
  type LandingStores,
  landingOriginals,
  lastPublished,
  ledgerOriginal,
  recordingOriginals,
} from './landing-originals.ts';
import { copyOriginals, EarlierFiles, type Original, originalIn, originalOf } from './originals.ts';
import { copyPublished, lostFile, type PublishedHead, readHead } from './published-originals.ts';
import type { Repository } from './repository.ts';
import {
  lostVersions,
  nothingThere,
  refuseMissingLanding,
  refuseOtherSealKey,
} from './whole-installation.ts';

export const STORE_FILE = 'ops/ops.sqlite';
export const SEAL_KEY = 'ops/seal.key';
const MAX_TRIES = 20;

export interface Installation {
  readonly settings: Settings;
  readonly config_path: string | null;
  readonly snapshots: ObjectStore;
  /** The bucket that job hosts share; null if everything is in the data folder. */
  readonly shared: ObjectStore | null;
}

export interface BackupEffects {
  readonly nowMs: () => number;
  readonly program: string;
  readonly warn: (message: string) => void;
  /** Opens the backup key, which is created on first use; called only if there are keys to encrypt. */
  readonly openSealer: () => Sealer;
}

interface BackupTask {
  readonly installation: Installation;
  readonly effects: BackupEffects;
  readonly repository: Repository;
  readonly earlier: EarlierFiles;
}

/** Between `begin` and `end` of the repository. The backup exists once this resolves; when it fails there is none. */
export async function makeBackup(
  repository: Repository,
  installation: Installation,
  { id, effects }: { readonly id: string; readonly effects: BackupEffects },
): Promise<Backup> {
  const { program } = effects;
  const now = () => new Date(effects.nowMs()).toISOString();
  const earlier = new EarlierFiles(await newestOf(repository));
  const begun_at = now();
  const made = await copyAll({ installation, effects, repository, earlier });
  const backup = { format: BACKUP_FORMAT, id, program, begun_at, ended_at: now(), ...made };
  await repository.commit(backup);
  return backup;
}

/** Only for saving work: one that cannot be read is as good as none. */
async function newestOf(repository: Repository): Promise<Backup | null> {
  const id = (await repository.ids()).at(-1);
  if (id === undefined) return null;
  try {
    return await repository.read(id);
  } catch {
    return null;
  }
}

type Contents = Omit<Backup, 'format' | 'id' | 'program' | 'begun_at' | 'ended_at'>;

async function copyAll(task: BackupTask): Promise<Contents> {
  const { installation, repository, earlier } = task;
  const { settings, config_path: config, shared } = installation;
  const stores: LandingStores = { dataDir: settings.data_dir, shared };
  refuseMissingLanding(settings, shared !== null);
  const store = await copyOps(task);
  const { head, files: published } = await copyHead(task, stores);
  const ledger = await ledgerOriginal(stores, head);
  const landing = await copyLanding(task, stores);
  const small = [
    ...(ledger === null ? [] : [ledger]),
    ...(await folderOriginals(stores)),
    ...(config === null ? [] : [originalOf(`config/${basename(config)}`, readFileSync(config))]),
  ];
  const recordings = await copyRecordings(task, stores);
  const rest = (await copyOriginals(repository, earlier, small)).files;
  const { keys, key_mark } = await copyKeys(task, store.length > 0);
  const files = [...store, ...published, ...landing, ...recordings, ...rest, ...keys];
  const found = [...store, ...published, ...landing, ...recordings];
  if (found.every(({ path }) => path === CATALOGUE)) throw nothingThere(settings.data_dir);
  return {
    formats: readInstallation(settings.data_dir, task.effects.program)?.formats ?? null,
    version: head?.pointer.version ?? null,
    as_of: head?.manifest.as_of ?? null,
    events: head?.manifest.events.count ?? 0,
    last_event_id: head?.manifest.events.last_event_id ?? null,
    has_store: store.length > 0,
    config: config === null ? null : `config/${basename(config)}`,
    key_mark,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** The store as one file, with the head of its audit log. None if no server has run here. */
async function copyOps({
  installation,
  repository,
  earlier,
  effects,
}: BackupTask): Promise<readonly BackupFile[]> {
  const { ops_store: store, seal_key_file: sealKeyFile } = installation.settings;
  if (!isPostgres(store) && !existsSync(store)) {
    if (!existsSync(sealKeyFile)) return [];
    throw new StoreUnavailableError(
      `The store ${store} is missing, but its key ${sealKeyFile} exists. No backup was made. Restore the store from an earlier backup, or name it with --ops-store (OPS_STORE).`,
    );
  }
  refuseOtherSealKey(installation.settings);
  const folder = makeScratch(installation.settings, effects);
  try {
    const to = join(folder, 'ops.sqlite');
    const { head } = await copyToFile({ store, sealKeyFile, to });
    const copies = new FolderObjectStore(nodeDisk, folder);
    const originals = [
      originalIn(copies, 'ops.sqlite', { path: STORE_FILE, sha256: null }),
      ...(head === null ? [] : [originalOf(`${STORE_FILE}-audit-head`, head)]),
    ];
    const { files } = await copyOriginals(repository, earlier, originals);
    return files.map(({ modified_ms: _, ...file }) => file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const COPY = '.store-copy-';
/** Longer than any copy takes. */
const LEFT_MS = 12 * HOUR_MS;

/**
 * A new folder below WORK_DIR, so that the folders of the installation are only read. A backup that is killed leaves it, and a later one removes
 * it. @throws FolderError, FailingDiskError if it cannot be made
 */
function makeScratch({ work_dir: dir }: Settings, { nowMs }: Pick<BackupEffects, 'nowMs'>): string {
  refuseUnwritable({ dir, chosenBy: '--work-dir (WORK_DIR)' }, String(process.pid));
  mkdirSync(dir, { recursive: true });
  for (const name of readdirSync(dir).filter((one) => one.startsWith(COPY))) {
    const age = nowMs() - (statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? nowMs());
    if (age > LEFT_MS) rmSync(join(dir, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(dir, COPY));
}

/** Begins again if the head was withdrawn meanwhile, or the first one was published. */
async function copyHead(
  task: BackupTask,
  stores: LandingStores,
): Promise<{ readonly head: PublishedHead | null; readonly files: readonly BackupFile[] }> {
  const { installation, repository, earlier, effects } = task;
  const { snapshots: store } = installation;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const head = await readHead(store);
    const known = head === null ? await lastPublished(stores) : null;
    if (known !== null && attempt > 1) throw lostVersions(store.nameOf(''), known);
    if (known !== null) continue;
    if (head === null) return { head, files: [] };
    const { files, isHeadThere, damage } = await copyPublished(head, { store, repository, earlier });
    if (!isHeadThere) continue;
    for (const { message } of damage) effects.warn(`Not in the backup: ${message}`);
    return { head, files };
  }
  throw lostFile(store.nameOf(''));
}

/** Begins again if files were compacted away meanwhile; what was copied is not copied again. */
async function copyLanding(
  { repository, earlier }: BackupTask,
  stores: LandingStores,
): Promise<readonly BackupFile[]> {
  let gone: readonly string[] = [];
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const copies = await copyOriginals(repository, earlier, await landingOriginals(stores));
    gone = copies.gone.filter((path) => path !== 'landing/key-fingerprint.txt');
    if (gone.length === 0) return copies.files;
  }
  throw lostFile(join(stores.dataDir, gone[0] ?? ''));
}

/** A recording that was removed while it was read is left out: it has landed. */
async function copyRecordings(
  { repository, earlier }: BackupTask,
  stores: LandingStores,
): Promise<readonly BackupFile[]> {
  const { files, gone } = await copyOriginals(repository, earlier, await recordingOriginals(stores));
  const ended = new Set(gone.map((path) => (path.endsWith('.json') ? path.slice(0, -5) : dirname(path))));
  return files.filter(({ path }) => !ended.has(path.replace(/\.json$/, '')) && !ended.has(dirname(path)));
}

/** The keys of the installation, encrypted. */
async function copyKeys(
  { installation, repository, earlier, effects }: BackupTask,
  hasStore: boolean,
): Promise<{ readonly keys: readonly BackupFile[]; readonly key_mark: string | null }> {
  const { settings } = installation;
  const originals = [
    { path: 'landing.key', file: settings.landing_key_file },
    { path: 'author.key', file: join(settings.data_dir, 'author.key') },
    ...(hasStore ? [{ path: SEAL_KEY, file: settings.seal_key_file }] : []),
  ].filter(({ file }) => existsSync(file));
  if (originals.length === 0) return { keys: [], key_mark: null };
  const sealer = effects.openSealer();
  const sealed: Original[] = originals.map(({ path, file }) =>
    originalOf(path, sealedKey(sealer, path, readFileSync(file))),
  );
  const { files } = await copyOriginals(repository, earlier, sealed);
  return { keys: files.map((file) => ({ ...file, is_sealed: true })), key_mark: keyMarkOf(sealer) };
}
