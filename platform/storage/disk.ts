// The file-system operations that published folders need, injected: tests make any of them fail, production passes `nodeDisk`.
// Every write is durable only after `sync` of the file and `syncFolder` of its folder.
import { closeSync, fsyncSync, openSync, read as readFile } from 'node:fs';
import { link, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';

export interface DiskFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A file that is open for reading, even after it has been removed. */
export interface OpenFile {
  /** Fills the target, or less at the file's end. Returns the number of bytes. */
  read(target: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
  /** Of the whole process, until the file is closed. Absent if the file is not one of this machine. */
  readonly descriptor?: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export interface FileFacts {
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface Disk {
  /** Opens for writing; an existing file is truncated. */
  create(path: string): Promise<DiskFile>;
  read(path: string): Promise<Buffer>;
  open(path: string): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; false when that name is taken. */
  link(from: string, to: string): Promise<boolean>;
  unlink(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  entries(path: string): Promise<FolderEntry[]>;
  stat(path: string): Promise<FileFacts>;
  /** Creates one level; false when the folder already exists. */
  mkdir(path: string): Promise<boolean>;
  rmdir(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** `ENOENT`, `EIO`, … for a system error; undefined for any other error. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the file does not exist, including when part of its path is a file instead of a folder. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');

async function create(path: string): Promise<DiskFile> {
  const handle = await open(path, 'w');
  return {
    async write(bytes) {
      let offset = 0;
      while (offset < bytes.length) offset += (await handle.write(bytes, offset)).bytesWritten;
    },
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

/** Reads into one buffer of the file's size: `readFile` reads in pieces of half a megabyte. */
async function read(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe((await handle.stat()).size);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

/** Reads through the descriptor, because the handle's own promises cost more than the small ranges that are read here. */
async function openForReading(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r');
  return {
    async read(target, position) {
      let filled = 0;
      while (filled < target.length) {
        const count = await readAt(handle.fd, target.subarray(filled), position + filled);
        if (count === 0) break;
        filled += count;
      }
      return filled;
    },
    close: () => handle.close(),
    descriptor: handle.fd,
  };
}

const readAt = (descriptor: number, target: Buffer, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readFile(descriptor, target, 0, target.length, position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });

async function entries(path: string): Promise<FolderEntry[]> {
  const found = await readdir(path, { withFileTypes: true });
  return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

const makeFolder = (path: string): Promise<boolean> => unlessTaken(mkdir(path));

/** False when the name is taken. */
async function unlessTaken(made: Promise<unknown>): Promise<boolean> {
  try {
    await made;
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable, for what is written outside an injected disk. */
export function syncFolderSync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export const nodeDisk: Disk = Object.freeze({
  create,
  read,
  open: openForReading,
  rename,
  link: (from: string, to: string) => unlessTaken(link(from, to)),
  unlink,
  readdir: (path: string) => readdir(path),
  entries,
  async stat(path: string) {
    const { size, mtimeMs } = await stat(path);
    return { bytes: size, modifiedMs: mtimeMs };
  },
  mkdir: makeFolder,
  rmdir,
  syncFolder,
});
