// The form of a backup: one JSON file that names every file of the installation with its hash, and the pieces in which its bytes are kept.
// Pieces are named by their hash, so that backups in one place share what they have in common.

import { printable } from '../../platform/base/printable.ts';
import { isUlid } from '../../platform/base/ulid.ts';
import { RESTORING } from '../../platform/processes/data-folder.ts';
import { canonicalJson, sha256Hex } from '../../platform/storage/canonical.ts';
import {
  DamagedFileError,
  RefusedInputError,
  UnsupportedFormatError,
} from '../../platform/storage/errors.ts';

/** Rises when an earlier program could no longer restore what this one writes. */
export const BACKUP_FORMAT = 1;

export const BACKUPS_FOLDER = 'backups';
export const PIECES_FOLDER = 'pieces';
export const backupKey = (id: string): string => `${BACKUPS_FOLDER}/${id}.json`;
export const pieceKey = (sha256: string): string => `${PIECES_FOLDER}/${sha256.slice(0, 2)}/${sha256}`;

export interface BackupFile {
  /** Relative to the data folder into which it is restored. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** sha256 of the pieces, in order. */
  readonly pieces: readonly string[];
  /** Modification time of the original, Unix milliseconds; only of files whose names do not tell their content. */
  readonly modified_ms?: number;
  /** The pieces are encrypted with the backup key. `sha256` and `bytes` describe the pieces, not the plain file. */
  readonly is_sealed?: true;
}

export interface Backup {
  readonly format: number;
  readonly id: string;
  /** Version of the program that made it. */
  readonly program: string;
  /** What was committed before this instant is in the backup. ISO 8601 UTC. */
  readonly begun_at: string;
  readonly ended_at: string;
  /** Formats of the parts of the data folder; null in one that has none yet. */
  readonly formats: { readonly [part: string]: number } | null;
  readonly version: string | null;
  readonly as_of: string | null;
  readonly events: number;
  readonly last_event_id: string | null;
  /** Whether the ops store is included: keys, subscriptions, deliveries. */
  readonly has_store: boolean;
  /** Configuration file of the programs, under its path in the backup; null without one. */
  readonly config: string | null;
  /** Identifies the backup key; null if no file is encrypted. */
  readonly key_mark: string | null;
  /** Ordered by path. */
  readonly files: readonly BackupFile[];
}

export const sumOf = (backup: Backup): number => backup.files.reduce((sum, { bytes }) => sum + bytes, 0);

export const textOfBackup = (backup: Backup): string => {
  const body = canonicalJson(backup);
  return `${canonicalJson({ backup, sha256: sha256Hex(body) })}\n`;
};

const ADVICE = 'Restore another backup: `npm run backup -- list` shows them.';

/** `program`: the version of this program. @throws DamagedFileError, UnsupportedFormatError */
export function parseBackup(
  bytes: Buffer,
  { id, file, program }: { readonly id: string; readonly file: string; readonly program: string },
): Backup {
  const damaged = (actual: string, cause?: unknown) =>
    new DamagedFileError({ file, expected: `backup ${id}`, actual, advice: ADVICE }, { cause });
  let value: { readonly backup?: Backup; readonly sha256?: unknown };
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw damaged(`${bytes.length} bytes that are not JSON`, error);
  }
  const { backup, sha256 } = value ?? {};
  if (backup === undefined || backup === null || typeof backup !== 'object') throw damaged('other JSON');
  if (hashOf(backup) !== sha256) throw damaged('other contents than were written');
  if (backup.format !== BACKUP_FORMAT) throw otherFormat(backup, { file, program });
  if (backup.id !== id) throw damaged(`backup ${String(backup.id)}`);
  const problem = problemOf(backup);
  if (problem !== null) throw damaged(problem);
  return backup;
}

/** Null for what is never written: a number beyond the doubles, or more levels than the stack has. */
function hashOf(backup: Backup): string | null {
  try {
    return sha256Hex(canonicalJson(backup));
  } catch (error) {
    if (error instanceof RefusedInputError) return null;
    throw error;
  }
}

function otherFormat(backup: Backup, { file, program }: { file: string; program: string }): Error {
  const isNewer = Number(backup.format) > BACKUP_FORMAT;
  const todo = isNewer
    ? `Restore it with version ${backup.program} or a later one`
    : `Restore it with version ${backup.program}`;
  return new UnsupportedFormatError(
    `${file} has the ${isNewer ? 'newer' : 'older'} backup format ${String(backup.format)}, written by version ${backup.program}; this is version ${program}, which reads format ${BACKUP_FORMAT}. Nothing was done. ${todo}.`,
  );
}

/**
 * What its hash does not say, because whoever writes a backup writes the hash too: whether its files stay in the data folder, each in a
 * place of its own, and its pieces in theirs.
 */
function problemOf({ files, formats, config, key_mark }: Backup): string | null {
  if (!Array.isArray(files) || typeof (formats ?? {}) !== 'object') return 'other members than a backup has';
  const texts = [config, key_mark].filter((one) => one !== null);
  if (texts.some((one) => typeof one !== 'string')) return 'other members than a backup has';
  const paths = new Set<string>();
  for (const file of files as readonly (BackupFile | null)[]) {
    const path: unknown = file?.path;
    if (file === null || !isSafe(path)) return `a file outside the data folder: ${shown(path)}`;
    if (paths.has(path)) return `two files ${shown(path)}`;
    if (!isPlain(file)) return `a file without its pieces or size: ${shown(path)}`;
    paths.add(path);
  }
  const folders = new Set([...paths].flatMap(foldersOf));
  const both = [...paths].find((path) => folders.has(path));
  if (both !== undefined) return `both a file and a folder ${shown(both)}`;
  return config === null || paths.has(config)
    ? null
    : `no file ${shown(config)}, which it names as its configuration`;
}

const shown = (value: unknown): string => printable(String(value)).slice(0, 200);

const isSafe = (path: unknown): path is string =>
  typeof path === 'string' &&
  path.isWellFormed() &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file of an installation has them in its name
  !/[\u0000-\u001f\u007f\\]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part !== RESTORING);

const SHA256 = /^[0-9a-f]{64}$/;

const isPlain = ({ sha256, bytes, pieces }: BackupFile): boolean =>
  SHA256.test(sha256) &&
  Number.isSafeInteger(bytes) &&
  bytes >= 0 &&
  Array.isArray(pieces) &&
  pieces.every((piece) => typeof piece === 'string' && SHA256.test(piece));

const foldersOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

export const idOfKey = (key: string): string | null => {
  const id = key.slice(BACKUPS_FOLDER.length + 1, -'.json'.length);
  return key.endsWith('.json') && isUlid(id) ? id : null;
};
