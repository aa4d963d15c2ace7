// Whether a program can write in its folder, checked before it starts work: otherwise the first of many writes fails somewhere inside.
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FolderError } from './data-folder.ts';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export interface WrittenFolder {
  readonly dir: string;
  /** The flag and the setting by which another one is chosen. */
  readonly chosenBy: string;
}

export const dataFolder = (dir: string): WrittenFolder => ({ dir, chosenBy: '--data-dir (DATA_DIR)' });

/** The calls of the file system, so that tests can make them fail. */
export interface FolderCalls {
  /** Null if nothing is there. */
  kindOf(path: string): 'folder' | 'file' | null;
  /** Writes and removes a file. */
  tryFile(path: string): void;
}

/** The disk is full or reports an error. Unlike a wrong folder, this passes without another configuration. */
export class FailingDiskError extends Error {
  override readonly name = 'FailingDiskError';
}

const nodeCalls: FolderCalls = {
  kindOf(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return stat.isDirectory() ? 'folder' : 'file';
  },
  tryFile(path) {
    writeFileSync(path, 'x');
    rmSync(path);
  },
};

/** For programs that only read. @throws FolderError if the folder, or one above it, is a file: below it there is nothing */
export function refuseBelowFile(folder: WrittenFolder, calls = nodeCalls): void {
  const above = nearest(folder, resolve(folder.dir), calls);
  if (above.kind === 'file') throw refusal(folder, 'ENOTDIR', `${above.path} is a file`);
}

/**
 * Tries the nearest folder that exists, and creates none: Node's recursive `mkdir` never returns in folders such as `/proc`, where nothing
 * can be created. `programId` distinguishes programs that start at the same time.
 * @throws FolderError, or FailingDiskError
 */
export function refuseUnwritable(folder: WrittenFolder, programId: string, calls = nodeCalls): void {
  refuseBelowFile(folder, calls);
  const { path } = nearest(folder, resolve(folder.dir), calls);
  try {
    calls.tryFile(join(path, `.writable-${programId}`));
  } catch (error) {
    throw explained(folder, error);
  }
}

interface Above {
  readonly path: string;
  readonly kind: 'folder' | 'file';
}

/** The path itself or the nearest one above it that exists. */
function nearest(folder: WrittenFolder, path: string, calls: FolderCalls): Above {
  const kind = kindOf(folder, path, calls);
  return kind === null ? nearest(folder, dirname(path), calls) : { path, kind };
}

function kindOf(folder: WrittenFolder, path: string, calls: FolderCalls): Above['kind'] | null {
  try {
    return calls.kindOf(path);
  } catch (error) {
    // A path below a file: the file itself is found further up.
    if (codeOf(error) === 'ENOTDIR') return null;
    throw explained(folder, error);
  }
}

/** Why a folder cannot be written, by the code of the system; and what to do, unless it is to choose another folder. */
const REASONS: { readonly [code: string]: readonly [why: string, todo?: string] } = {
  EROFS: ['its file system is mounted read-only', 'Mount it writable, or choose'],
  EACCES: ['this user may not write there', 'Give the user the right to write in it, or choose'],
  EPERM: ['this user may not write there', 'Give the user the right to write in it, or choose'],
  ENOENT: ['it cannot be created there'],
};

/** Nothing is wrong with the command if there is no space. */
const OF_THE_DISK: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full. Nothing was done. Free space on it, and start again.',
  EDQUOT: 'the quota of the disk is used up. Nothing was done. Free space on it, and start again.',
  EIO: 'the disk reports an error. Nothing was done. Check the disk.',
};

function explained(folder: WrittenFolder, error: unknown): Error {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const ofDisk = OF_THE_DISK[code];
  if (ofDisk !== undefined)
    return new FailingDiskError(`The folder ${folder.dir} cannot be written: ${ofDisk}`);
  return refusal(folder, code, `the system reports ${code}`);
}

function refusal({ dir, chosenBy }: WrittenFolder, code: string, otherwise: string): FolderError {
  const [why, todo = 'Choose'] = REASONS[code] ?? [otherwise];
  return new FolderError(
    `The folder ${dir} cannot be written: ${why}. Nothing was done. ${todo} another folder with ${chosenBy}.`,
  );
}
