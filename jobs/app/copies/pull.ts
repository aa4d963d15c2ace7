// Makes the data folder of a job host a copy of what is shared: fetches and checks files that are missing or different, and removes files
// that the journal does not name. Refuses a folder with data of its own.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forEachAtOnce, mapAtOnce } from '../../../platform/base/tasks.ts';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { type Disk, isMissing } from '../../../platform/storage/disk.ts';
import { DamagedFileError } from '../../../platform/storage/errors.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';
import { MAX_REQUESTS_AT_ONCE, type ObjectStore } from '../../../platform/storage/object-store.ts';
import { type CopyRecord, keyOf, type SharedFiles } from './journal-form.ts';
import { isShared } from './landing-disk.ts';

const MARK = 'copy-of.txt';
const LEDGER = 'ledger.ndjson';
/** Derived from the receipts. */
const CATALOGUE = 'landing/catalogue.txt';

export interface Copy {
  readonly disk: Disk;
  /** The data folder. */
  readonly dir: string;
  readonly store: ObjectStore;
}

export interface PullReport {
  readonly fetched: number;
  readonly removed: number;
}

/**
 * Only for the process that holds the folder's lock. `relist` rewrites the list of receipts from the receipts in the folder, which by then
 * are exactly those that the journal names.
 * @throws DamagedFileError, StoreError
 */
export async function pull(
  copy: Copy,
  { files, ledger }: SharedFiles,
  relist: () => Promise<void>,
): Promise<PullReport> {
  const { disk, dir, store } = copy;
  markAsCopy(copy);
  const local = new FolderObjectStore(disk, dir);
  const stray: string[] = [];
  for (const folder of ['landing/', 'quarantine/', 'lost+found/'])
    stray.push(...(await local.list(folder)).filter((path) => isShared(path) && !files.has(path)));
  for (const path of stray) await disk.unlink(join(dir, path));
  const fetched = await mapAtOnce(MAX_REQUESTS_AT_ONCE, [...files], ([path, record]) =>
    fetchTo({ disk, dir, store }, path, record),
  );
  await disk.unlink(join(dir, CATALOGUE)).catch(ignoreMissing);
  await relist();
  await keepCopy(disk, join(dir, LEDGER), ledgerBytes(ledger));
  return { fetched: fetched.filter((isNew) => isNew).length, removed: stray.length };
}

/**
 * For a reader on any host: fetches files that are missing or different and removes nothing, because a leader on this host may be working
 * on the same copy.
 * @throws DamagedFileError, StoreError
 */
export async function refresh(copy: Copy, { files, ledger }: SharedFiles): Promise<void> {
  markAsCopy(copy);
  await forEachAtOnce(MAX_REQUESTS_AT_ONCE, [...files], ([path, record]) => fetchTo(copy, path, record));
  const file = join(copy.dir, LEDGER);
  const own = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  if (own < ledger.length) await keepCopy(copy.disk, file, ledgerBytes(ledger));
}

const ledgerBytes = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));

/** True when the file was missing or different. */
async function fetchTo({ disk, dir, store }: Copy, path: string, record: CopyRecord): Promise<boolean> {
  const { sha256 } = record;
  const target = join(dir, path);
  const there = await disk.read(target).catch(ignoreMissing);
  if (there && sha256Hex(there) === sha256) return false;
  const key = keyOf(path, record);
  const bytes = await store.get(key, sha256);
  const actual = bytes === null ? 'nothing' : `sha256 ${sha256Hex(bytes)}`;
  if (bytes === null || actual !== `sha256 ${sha256}`)
    throw new DamagedFileError({
      file: store.nameOf(key),
      expected: `sha256 ${sha256}`,
      actual,
      advice:
        there === undefined || there === null
          ? 'Restore it from a copy of the bucket, or from the data folder of another job host.'
          : 'Restore it from a copy of the bucket.',
    });
  await keepCopy(disk, target, bytes);
  return true;
}

/** Replaces the file atomically: a reader never sees part of it. */
export async function keepCopy(disk: Disk, target: string, bytes: Buffer): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const file = await disk.create(`${target}.part`);
  try {
    await file.write(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(`${target}.part`, target);
}

/** The first time, the folder must not hold landed data, because the copy would remove it. */
function markAsCopy({ dir, store }: Copy): void {
  const mark = join(dir, MARK);
  const location = store.nameOf('');
  const known = existsSync(mark) ? readFileSync(mark, 'utf8').trim() : null;
  if (known === location) return;
  const holds = known === null && existsSync(join(dir, 'landing')) ? 'data of its own' : known;
  if (holds !== null)
    throw new Error(
      `${dir} holds ${known === null ? holds : `a copy of ${known}`}; DATA_STORE is ${location}. Choose another DATA_DIR${known === null ? ', or move the data there first with the command `copy` of the jobs' : ''}.`,
    );
  mkdirSync(dir, { recursive: true });
  writeFileSync(mark, `${location}\n`, { flush: true });
}

function ignoreMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
