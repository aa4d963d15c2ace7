// A disk in memory that knows what a power failure would leave: bytes only of synced files, names only of synced folders.
import { basename, dirname } from 'node:path';
import type { Disk, DiskFile } from '../../../platform/storage/disk.ts';

interface File {
  now: Buffer;
  durable: Buffer;
}

interface Folder {
  now: Map<string, File | Folder>;
  durable: Map<string, File | Folder>;
}

/** Which unsynced changes a power failure loses. */
export type Loss =
  | 'all unsynced'
  | 'unsynced bytes'
  | 'unsynced names'
  | 'unsynced names of datasets'
  | 'nothing';

export const LOSSES: readonly Loss[] = [
  'all unsynced',
  'unsynced bytes',
  'unsynced names',
  'unsynced names of datasets',
  'nothing',
];

export interface MemoryDisk extends Disk {
  /** The disk as the next start would find it if the power failed now. */
  afterPowerFailure(loss: Loss): MemoryDisk;
}

const isFolder = (node: File | Folder | undefined): node is Folder =>
  node !== undefined && node.now instanceof Map;

const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });

function folderAt(root: Folder, path: string): Folder {
  if (path === '/' || path === '.') return root;
  const node = folderAt(root, dirname(path)).now.get(basename(path));
  if (!isFolder(node)) throw failure('ENOENT', path);
  return node;
}

function fileAt(root: Folder, path: string): File {
  const node = folderAt(root, dirname(path)).now.get(basename(path));
  if (node === undefined || isFolder(node)) throw failure('ENOENT', path);
  return node;
}

const opened = (file: File): DiskFile => ({
  async write(bytes) {
    file.now = Buffer.concat([file.now, bytes]);
  },
  async sync() {
    file.durable = file.now;
  },
  async close() {},
});

/** The operations that only object stores use. */
const ofStores = (root: Folder): Pick<Disk, 'open' | 'link' | 'entries'> => ({
  async open(path) {
    const bytes = fileAt(root, path).now;
    return { read: async (target, position) => bytes.copy(target, 0, position), close: async () => {} };
  },
  async link(from, to) {
    const names = folderAt(root, dirname(to)).now;
    if (names.has(basename(to))) return false;
    names.set(basename(to), fileAt(root, from));
    return true;
  },
  entries: async (path) =>
    [...folderAt(root, path).now].map(([name, node]) => ({ name, isFolder: isFolder(node) })),
});

export const memoryDisk = (root: Folder = { now: new Map(), durable: new Map() }): MemoryDisk => {
  return {
    async create(path) {
      const file: File = { now: Buffer.alloc(0), durable: Buffer.alloc(0) };
      folderAt(root, dirname(path)).now.set(basename(path), file);
      return opened(file);
    },
    read: async (path) => Buffer.from(fileAt(root, path).now),
    ...ofStores(root),
    async rename(from, to) {
      const node = folderAt(root, dirname(from)).now.get(basename(from));
      if (node === undefined) throw failure('ENOENT', from);
      folderAt(root, dirname(to)).now.set(basename(to), node);
      folderAt(root, dirname(from)).now.delete(basename(from));
    },
    async unlink(path) {
      fileAt(root, path);
      folderAt(root, dirname(path)).now.delete(basename(path));
    },
    readdir: async (path) => [...folderAt(root, path).now.keys()],
    stat: async (path) => ({ bytes: fileAt(root, path).now.length, modifiedMs: 0 }),
    async mkdir(path) {
      const parent = folderAt(root, dirname(path));
      if (parent.now.has(basename(path))) return false;
      parent.now.set(basename(path), { now: new Map(), durable: new Map() });
      return true;
    },
    async rmdir(path) {
      if (folderAt(root, path).now.size > 0) throw failure('ENOTEMPTY', path);
      folderAt(root, dirname(path)).now.delete(basename(path));
    },
    async syncFolder(path) {
      const folder = folderAt(root, path);
      folder.durable = new Map(folder.now);
    },
    afterPowerFailure: (loss) => memoryDisk(survivor(root, loss)),
  };
};

function survivor(folder: Folder, loss: Loss, isOfDatasets = false): Folder {
  const losesNames =
    loss === 'all unsynced' ||
    loss === 'unsynced names' ||
    (loss === 'unsynced names of datasets' && isOfDatasets);
  const names = losesNames ? folder.durable : folder.now;
  const left = new Map(
    [...names].map(([name, node]) => [
      name,
      isFolder(node) ? survivor(node, loss, isOfDatasets || name === 'datasets') : fileLeft(node, loss),
    ]),
  );
  return { now: left, durable: new Map(left) };
}

function fileLeft({ now, durable }: File, loss: Loss): File {
  const bytes = loss === 'all unsynced' || loss === 'unsynced bytes' ? durable : now;
  return { now: bytes, durable: bytes };
}
