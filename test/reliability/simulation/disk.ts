// A disk in memory that loses what was not synced when the power fails: of each file any part of its unsynced bytes, of each folder any of
// its unsynced names, in any order. Calls take their turn in the scheduler, and may fail.
import { basename, dirname } from 'node:path';
import type { Disk, DiskFile } from '../../../platform/storage/disk.ts';
import type { Life, Scheduler } from './scheduler.ts';

class File {
  now: Buffer = Buffer.alloc(0);
  durable: Buffer = Buffer.alloc(0);
  modifiedMs = 0;
}

class Folder {
  now = new Map<string, Node>();
  durable = new Map<string, Node>();
}

type Node = File | Folder;

/** How a disk can be worse than a disk may be; for tests of the simulation. */
export interface DiskFlaws {
  readonly losesSyncedBytes?: boolean;
  readonly losesSyncedNames?: boolean;
  /** A reader may see half a file that was renamed. */
  readonly hasTornRenames?: boolean;
}

export const systemError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: simulated, ${path}`), { code });

export class Media {
  root = new Folder();
  readonly #scheduler: Scheduler;
  readonly #flaws: DiskFlaws;

  constructor(scheduler: Scheduler, flaws: DiskFlaws = {}) {
    this.#scheduler = scheduler;
    this.#flaws = flaws;
  }

  powerFailure(): void {
    const left = this.#left(this.root);
    this.root = left instanceof Folder ? left : new Folder();
  }

  #left(node: Node): Node {
    if (node instanceof File) {
      const file = new File();
      file.now = file.durable = this.#bytesLeft(node);
      file.modifiedMs = node.modifiedMs;
      return file;
    }
    const folder = new Folder();
    for (const name of [...new Set([...node.now.keys(), ...node.durable.keys()])].sort()) {
      const [now, durable] = [node.now.get(name), node.durable.get(name)];
      const one = now === durable || this.#scheduler.chance(0.5) ? durable : now;
      if (one !== undefined) folder.now.set(name, this.#left(one));
    }
    folder.durable = new Map(folder.now);
    return folder;
  }

  #bytesLeft({ now, durable }: File): Buffer {
    if (now === durable) return now;
    if (this.#scheduler.chance(0.4)) return durable;
    return now.subarray(0, Math.floor(this.#scheduler.random() * (now.length + 1)));
  }

  /** `failing`: the error with which a call fails now, if it does. */
  diskOf(life: Life, failing: (isWrite: boolean) => string | undefined): Disk {
    const read = <T>(name: string, path: string, act: () => T): Promise<T> =>
      this.#scheduler.call(life, `${name} ${path}`, () => {
        const code = failing(false);
        if (code !== undefined) throw systemError(code, path);
        return act();
      });
    const write = <T>(name: string, path: string, act: () => T, half?: () => void): Promise<T> =>
      this.#scheduler.call(life, `${name} ${path}`, () => {
        const code = failing(true);
        if (code === undefined) return act();
        if (half !== undefined && this.#scheduler.chance(0.5)) half();
        throw systemError(code, path);
      });
    const steps: Steps = { read, write };
    return { ...this.#readingWith(steps), ...this.#writingWith(steps) };
  }

  #writingWith({ write }: Steps): Omit<Disk, ReadingCall> {
    return {
      create: (path) =>
        write('create', path, () => this.#create(path)).then((file) => this.#opened(file, path, write)),
      rename: (from, to) => this.#rename(from, to, write),
      link: (from, to) => write('link', to, () => this.#link(from, to)),
      unlink: (path) => write('unlink', path, () => this.#unlink(path)),
      mkdir: (path) => write('mkdir', path, () => this.#mkdir(path)),
      rmdir: (path) => write('rmdir', path, () => this.#rmdir(path)),
      syncFolder: (path) => write('syncFolder', path, () => this.#syncFolder(path)),
    };
  }

  #readingWith({ read }: Steps): Pick<Disk, ReadingCall> {
    return {
      read: (path) => read('read', path, () => Buffer.from(this.#file(path).now)),
      open: async (path) => {
        const file = await read('open', path, () => this.#file(path));
        return {
          read: (target, position) => read('range', path, () => file.now.copy(target, 0, position)),
          close: async () => undefined,
        };
      },
      readdir: (path) => read('readdir', path, () => [...this.#folder(path).now.keys()]),
      entries: (path) =>
        read('entries', path, () =>
          [...this.#folder(path).now].map(([name, node]) => ({ name, isFolder: node instanceof Folder })),
        ),
      stat: (path) =>
        read('stat', path, () => {
          const { now, modifiedMs } = this.#file(path);
          return { bytes: now.length, modifiedMs };
        }),
    };
  }

  #opened(file: File, path: string, write: Write): DiskFile {
    const add = (bytes: Uint8Array) => {
      file.now = Buffer.concat([file.now, bytes]);
      file.modifiedMs = this.#scheduler.nowMs;
    };
    return {
      write: (bytes) =>
        write(
          'write',
          path,
          () => add(bytes),
          () => add(bytes.subarray(0, bytes.length >> 1)),
        ),
      sync: () =>
        write('sync', path, () => {
          if (this.#flaws.losesSyncedBytes !== true) file.durable = file.now;
        }),
      close: async () => undefined,
    };
  }

  #create(path: string): File {
    const file = new File();
    file.modifiedMs = this.#scheduler.nowMs;
    this.#folder(dirname(path)).now.set(basename(path), file);
    return file;
  }

  async #rename(from: string, to: string, write: Write): Promise<void> {
    if (this.#flaws.hasTornRenames === true)
      await write('rename half', to, () => {
        const half = new File();
        const { now } = this.#file(from);
        half.now = half.durable = now.subarray(0, now.length >> 1);
        this.#folder(dirname(to)).now.set(basename(to), half);
      });
    await write('rename', to, () => {
      const node = this.#file(from);
      this.#folder(dirname(to)).now.set(basename(to), node);
      this.#folder(dirname(from)).now.delete(basename(from));
    });
  }

  #link(from: string, to: string): boolean {
    const { now } = this.#folder(dirname(to));
    if (now.has(basename(to))) return false;
    now.set(basename(to), this.#file(from));
    return true;
  }

  #unlink(path: string): void {
    this.#file(path);
    this.#folder(dirname(path)).now.delete(basename(path));
  }

  #mkdir(path: string): boolean {
    const { now } = this.#folder(dirname(path));
    if (now.has(basename(path))) return false;
    now.set(basename(path), new Folder());
    return true;
  }

  #rmdir(path: string): void {
    if (this.#folder(path).now.size > 0) throw systemError('ENOTEMPTY', path);
    this.#folder(dirname(path)).now.delete(basename(path));
  }

  #syncFolder(path: string): void {
    const folder = this.#folder(path);
    if (this.#flaws.losesSyncedNames !== true) folder.durable = new Map(folder.now);
  }

  #folder(path: string): Folder {
    if (path === '/') return this.root;
    const node = this.#folder(dirname(path)).now.get(basename(path));
    if (node instanceof Folder) return node;
    throw systemError('ENOENT', path);
  }

  #file(path: string): File {
    const node = this.#folder(dirname(path)).now.get(basename(path));
    if (node instanceof File) return node;
    throw systemError('ENOENT', path);
  }
}

type Write = <T>(name: string, path: string, act: () => T, half?: () => void) => Promise<T>;
type Read = <T>(name: string, path: string, act: () => T) => Promise<T>;
type ReadingCall = 'read' | 'open' | 'readdir' | 'entries' | 'stat';

interface Steps {
  readonly read: Read;
  readonly write: Write;
}
