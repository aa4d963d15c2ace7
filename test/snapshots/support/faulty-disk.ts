// A disk that fails at one chosen call: with a system error, or as if the process were killed there (no later call happens).
import type { Disk, DiskFile } from '../../../platform/storage/disk.ts';

/** `killed after` makes the call first; `torn` writes half of the bytes first (and is like `killed after` for other calls). */
export type Fault = 'EIO' | 'ENOSPC' | 'killed before' | 'killed after' | 'torn';

export const FAULTS: readonly Fault[] = ['EIO', 'ENOSPC', 'killed before', 'killed after', 'torn'];

export class KilledError extends Error {
  override readonly name = 'KilledError';
}

export interface FaultyDisk extends Disk {
  /** Names of the calls made so far. */
  readonly calls: readonly string[];
}

/** `at` is the index of the call that fails; -1 for none. */
export function faultyDisk(inner: Disk, at: number, fault: Fault): FaultyDisk {
  const calls: string[] = [];
  let isDead = false;

  async function step<T>(name: string, act: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    if (isDead) throw new KilledError(`${name} after the end`);
    const isFaulty = calls.length === at;
    calls.push(name);
    if (!isFaulty) return await act();
    if (fault === 'EIO' || fault === 'ENOSPC')
      throw Object.assign(new Error(`${fault}: ${name}`), { code: fault });
    isDead = true;
    if (fault === 'killed after') await act();
    if (fault === 'torn') await (half ?? act)();
    throw new KilledError(`killed at call ${at}, ${name}`);
  }

  // A dead process's descriptors are closed too.
  const close: Step = (name, act) => (isDead ? act() : step(name, act));

  return {
    calls,
    create: (path) => step('create', async () => fileOf(await inner.create(path), step, close)),
    read: (path) => step('read', () => inner.read(path)),
    open: (path) => step('open', () => inner.open(path)),
    link: (from, to) => step('link', () => inner.link(from, to)),
    rename: (from, to) => step('rename', () => inner.rename(from, to)),
    unlink: (path) => step('unlink', () => inner.unlink(path)),
    readdir: (path) => step('readdir', () => inner.readdir(path)),
    entries: (path) => step('entries', () => inner.entries(path)),
    stat: (path) => step('stat', () => inner.stat(path)),
    mkdir: (path) => step('mkdir', () => inner.mkdir(path)),
    rmdir: (path) => step('rmdir', () => inner.rmdir(path)),
    syncFolder: (path) => step('syncFolder', () => inner.syncFolder(path)),
  };
}

type Step = <T>(name: string, act: () => Promise<T>, half?: () => Promise<unknown>) => Promise<T>;

const fileOf = (opened: DiskFile, step: Step, close: Step): DiskFile => ({
  write: (bytes) => {
    const half = () => opened.write(bytes.subarray(0, bytes.length >> 1));
    return step('write', () => opened.write(bytes), half);
  },
  sync: () => step('sync', () => opened.sync()),
  close: () => close('close', () => opened.close()),
});
