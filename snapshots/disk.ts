// The file-system operations that published folders need, injected: tests make any of them fail, production passes `nodeDisk`.
// Every write is durable only after `sync` of the file and `syncFolder` of its folder.
import { mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';

export interface DiskFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileFacts {
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface Disk {
  /** Opens for writing; an existing file is truncated. */
  create(path: string): Promise<DiskFile>;
  read(path: string): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<FileFacts>;
  /** Creates one level; false when the folder already exists. */
  mkdir(path: string): Promise<boolean>;
  rmdir(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** `ENOENT`, `EIO`, … for a system error; undefined for any other error. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the file does not exist; also when part of its path is a file instead of a folder. */
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

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
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

export const nodeDisk: Disk = Object.freeze({
  create,
  read,
  rename,
  unlink,
  readdir: (path: string) => readdir(path),
  async stat(path: string) {
    const { size, mtimeMs } = await stat(path);
    return { bytes: size, modifiedMs: mtimeMs };
  },
  mkdir: makeFolder,
  rmdir,
  syncFolder,
});
