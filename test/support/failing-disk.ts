// A disk that fails, or ends the process, at one of its write calls. Calls are counted, so that a test can try each of them.
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';

export interface FailingDisk {
  readonly disk: Disk;
  /** The write calls so far, as `rename <target>`, `write <file>` and so on. */
  readonly calls: readonly string[];
}

export interface Failure {
  /** The call that fails, counted from 1; 0: none. */
  readonly at: number;
  /** Whether all later calls fail as well. */
  readonly isForGood?: boolean;
  /** What happens then. @throws what the call throws */
  readonly fail: () => never;
}

export const simulated = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: simulated`), { code });
};

export function failingDisk({ at, isForGood = false, fail }: Failure): FailingDisk {
  const calls: string[] = [];
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    calls.push(name);
    if (at > 0 && (calls.length === at || (isForGood && calls.length > at))) fail();
    return work();
  };
  const disk: Disk = {
    ...nodeDisk,
    async create(path) {
      const file = await step(`create ${path}`, () => nodeDisk.create(path));
      return {
        write: (bytes) => step(`write ${path}`, () => file.write(bytes)),
        sync: () => step(`sync ${path}`, () => file.sync()),
        close: () => file.close(),
      };
    },
    rename: (from, to) => step(`rename ${to}`, () => nodeDisk.rename(from, to)),
    mkdir: (path) => step(`mkdir ${path}`, () => nodeDisk.mkdir(path)),
    syncFolder: (path) => step(`syncFolder ${path}`, () => nodeDisk.syncFolder(path)),
    unlink: (path) => step(`unlink ${path}`, () => nodeDisk.unlink(path)),
  };
  return { disk, calls };
}
