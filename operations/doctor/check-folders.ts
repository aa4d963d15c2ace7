// Folders and files of an installation: whether they are there, whose they are and who may read them, and what room is left for them.
import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DAY_MS } from '../../platform/base/time.ts';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import { INSTALLATION_FILE } from '../../platform/processes/data-folder.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { systemCode } from '../../platform/storage/disk.ts';
import { lostLanding } from '../backup/whole-installation.ts';
import { critical, type Findings, warning } from './finding.ts';

const MIB = 1_048_576;
/** Files that changed in this time show how fast the installation grows. */
const GROWTH_DAYS = 7;
/** A shorter history says nothing about a day. */
const MIN_GROWTH_DAYS = 0.04;
const WARN_DAYS = 30;
const CRITICAL_DAYS = 3;
const CRITICAL_BYTES = 256 * MIB;
const MIN_FREE_INODES = 0.02;
const MAX_SHOWN = 3;

/** The folders that the programs use, each once. */
export function foldersOf(settings: Settings): readonly { readonly dir: string; readonly setting: string }[] {
  const { data_dir, work_dir, snapshot_dir, snapshot_store, ops_store, seal_key_file } = settings;
  const all = [
    { dir: data_dir, setting: 'DATA_DIR' },
    { dir: work_dir, setting: 'WORK_DIR' },
    ...(snapshot_store === '' ? [{ dir: snapshot_dir, setting: 'SNAPSHOT_DIR' }] : []),
    isPostgres(ops_store)
      ? { dir: dirname(seal_key_file), setting: 'SEAL_KEY_FILE' }
      : { dir: dirname(ops_store), setting: 'OPS_STORE' },
  ];
  return [...new Map(all.toReversed().map((folder) => [resolve(folder.dir), folder])).values()].toReversed();
}

export async function checkFolders(settings: Settings, userId: number): Promise<Findings> {
  const { data_dir: dir } = settings;
  if (statOrNull(dir) === null)
    return [
      warning(
        `the data folder ${dir} does not exist: nothing has run with these settings.`,
        'Check --data-dir (DATA_DIR), or start the programs once.',
      ),
    ];
  return [
    ...foldersOf(settings).flatMap((folder) => folderFindings(folder, userId)),
    ...landingFindings(settings),
  ];
}

function landingFindings({ data_dir, data_store }: Settings): Findings {
  const lost = data_store === '' ? lostLanding(data_dir) : null;
  if (lost === null) return [];
  return [
    critical(
      `${lost} holds nothing, although ${join(data_dir, INSTALLATION_FILE)} shows that rows have landed.`,
      'Mount it, or restore it: `npm run restore` into a scratch folder, and copy the folder from there.',
    ),
  ];
}

function folderFindings({ dir, setting }: { dir: string; setting: string }, userId: number): Findings {
  const stat = statOrNull(dir);
  if (stat === null)
    return [
      warning(
        `${dir} (${setting}) does not exist yet.`,
        `It is created at the first start; if it existed, restore it, or correct ${setting}.`,
      ),
    ];
  if (!stat.isDirectory())
    return [critical(`${dir} (${setting}) is not a folder.`, `Name a folder with ${setting}.`)];
  for (const [mode, verb] of [
    [constants.R_OK | constants.X_OK, 'read'],
    [constants.W_OK, 'write'],
  ] as const) {
    const code = accessCode(dir, mode);
    if (code === 'EROFS')
      return [
        critical(`${dir} (${setting}) is on a file system that is mounted read-only.`, 'Mount it writable.'),
      ];
    if (code !== null)
      return [
        critical(
          `this user (${userId}) may not ${verb} ${dir} (${setting}), which belongs to user ${stat.uid} (${code}).`,
          `Run as user ${stat.uid}, or give this user the right to ${verb} it.`,
        ),
      ];
  }
  return ownerFindings(dir, stat, userId);
}

/**
 * Files of another user, such as root after a command with sudo, stop the programs later. The folder itself is root's where a volume is
 * mounted for the group of the programs, as in a cluster; so is `lost+found` of its file system.
 */
function ownerFindings(dir: string, { uid }: Stats, userId: number): Findings {
  const owner = uid === 0 ? userId : uid;
  const foreign = foreignIn(dir, owner, '');
  if (foreign.length === 0) return [];
  return [
    warning(
      `${foreign.join(', ')} in ${dir} ${foreign.length === 1 ? 'does' : 'do'} not belong to user ${owner}, as which the programs run.`,
      `Give them back: chown -R ${owner} ${dir}`,
    ),
  ];
}

/** The first ones, at any depth. */
function foreignIn(dir: string, uid: number, below: string): readonly string[] {
  const found: string[] = [];
  for (const name of namesIn(join(dir, below))) {
    const path = join(below, name);
    // A temporary file may go meanwhile.
    const stat = lstatSync(join(dir, path), { throwIfNoEntry: false });
    if (stat === undefined || path === 'lost+found') continue;
    if (stat.uid !== uid) found.push(path);
    else if (stat.isDirectory()) found.push(...foreignIn(dir, uid, path));
    if (found.length >= MAX_SHOWN) return found.slice(0, MAX_SHOWN);
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Free room, and for how long it lasts. */
export async function checkDisk(settings: Settings, nowMs: number): Promise<Findings> {
  const growth = growthPerDay(settings, nowMs);
  const there = foldersOf(settings).filter(({ dir }) => statOrNull(dir) !== null);
  const disks = new Map(there.map(({ dir }) => [statSync(dir).dev, dir]));
  return [...disks.values()].flatMap((dir) => diskFindings(dir, growth));
}

const mib = (bytes: number): string => `${Math.floor(bytes / MIB).toLocaleString('en')} MiB`;

function diskFindings(dir: string, growth: number | null): Findings {
  const { bavail, bsize, files, ffree } = statfsSync(dir);
  const free = bavail * bsize;
  const found: Findings[number][] = [];
  const days = growth === null || growth === 0 ? Number.POSITIVE_INFINITY : free / growth;
  const rate = growth === null ? '' : ` The installation grew by ${mib(growth)} a day.`;
  const todo =
    'Free space, enlarge the disk, or shorten SNAPSHOT_KEEP_DAYS, SNAPSHOT_KEEP_HOURS or RECORDINGS_KEEP_DAYS.';
  if (free < CRITICAL_BYTES || days < CRITICAL_DAYS)
    found.push(critical(`the disk of ${dir} has ${mib(free)} left, ${lasting(days)}.${rate}`, todo));
  else if (days < WARN_DAYS)
    found.push(warning(`the disk of ${dir} has ${mib(free)} left, ${lasting(days)}.${rate}`, todo));
  if (files > 0 && ffree / files < MIN_FREE_INODES)
    found.push(
      critical(
        `the disk of ${dir} has ${ffree} free inodes of ${files}.`,
        'Remove small files from it, or enlarge it.',
      ),
    );
  return found;
}

const lasting = (days: number): string =>
  days === Number.POSITIVE_INFINITY
    ? 'which is too little'
    : `enough for ${days < 10 ? days.toFixed(1) : Math.floor(days)} days`;

/** Bytes a day of files that are kept; an overestimate, because replaced versions go. Null without files. */
function growthPerDay({ data_dir, snapshot_dir, snapshot_store }: Settings, nowMs: number): number | null {
  const folders = [
    join(data_dir, 'landing'),
    join(data_dir, 'recordings'),
    ...(snapshot_store === '' ? [snapshot_dir] : []),
  ];
  const files = folders.flatMap((folder) => filesIn(folder));
  if (files.length === 0) return null;
  const since = nowMs - GROWTH_DAYS * DAY_MS;
  const recent = files.filter(({ mtimeMs }) => mtimeMs >= since);
  const oldest = Math.max(since, Math.min(...files.map(({ mtimeMs }) => mtimeMs)));
  const days = (nowMs - oldest) / DAY_MS;
  if (days < MIN_GROWTH_DAYS) return null;
  // What the first run wrote is history, not growth.
  const later = recent.filter(({ mtimeMs }) => mtimeMs > oldest + MIN_GROWTH_DAYS * DAY_MS);
  return later.reduce((sum, { size }) => sum + size, 0) / days;
}

function filesIn(folder: string): { readonly size: number; readonly mtimeMs: number }[] {
  if (statOrNull(folder) === null) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const stat = entry.isFile() ? statOrNull(join(entry.parentPath, entry.name)) : null;
    return stat === null ? [] : [{ size: stat.size, mtimeMs: stat.mtimeMs }];
  });
}

/** Null if nothing is there, also when a part of the path is a file or may not be read. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

function accessCode(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}
