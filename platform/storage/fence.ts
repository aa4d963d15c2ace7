// Keeps a writer whose term is over from changing a folder: a leader that was paused, or cut off from the database of leases, may resume
// after another one has taken over.
//
// A writer marks its term in the folder before it does anything else; the highest mark counts. From then on each change that others can
// see, a rename or a removal, is made only if no higher term is marked. Whatever an older writer had staged before the mark is removed by
// the next writer before it publishes, so a rename that was checked just before the mark finds nothing to rename.
import { basename, dirname, join } from 'node:path';
import type { Disk } from './disk.ts';
import { makeFolders, namesIn } from './disk-steps.ts';
import { TEMP_FOLDER } from './durable.ts';

export interface TermMark {
  readonly installation: string;
  readonly number: number;
}

/** Another writer leads. Nothing was changed. */
export class StaleTermError extends Error {
  override readonly name = 'StaleTermError';
}

const TERMS_FOLDER = 'terms';
const DIGITS = 16;
const NAME = /^(\d{16})-([0-9a-z]{1,64})$/;

export interface FencedFolder {
  readonly disk: Disk;
  /** The folder with the marks; what is written may be elsewhere. */
  readonly dir: string;
}

/** Marks the term. Returns the previous one; null in a folder without terms. @throws StaleTermError if a higher one is marked. */
export async function enterTerm({ disk, dir }: FencedFolder, own: TermMark): Promise<TermMark | null> {
  const before = (await marksIn({ disk, dir })).at(-1) ?? null;
  refuseOther(dir, before, own);
  await makeFolders(disk, join(dir, TERMS_FOLDER), dir);
  const file = await disk.create(join(dir, TERMS_FOLDER, nameOf(own)));
  await file.sync();
  await file.close();
  await disk.syncFolder(join(dir, TERMS_FOLDER));
  await assertNewest({ disk, dir }, own);
  for (const mark of await marksIn({ disk, dir }))
    if (mark.number < (before?.number ?? 0)) await disk.unlink(join(dir, TERMS_FOLDER, nameOf(mark)));
  return before;
}

/** Whether writers of this folder take turns by terms. */
export const hasTerms = async (folder: FencedFolder): Promise<boolean> => (await marksIn(folder)).length > 0;

export interface Fence extends FencedFolder {
  readonly own: TermMark;
  /** Whether the writer still leads, as far as it knows without asking. */
  readonly isHeld: () => boolean;
}

/** A disk on which this writer changes nothing once its term is over. Its unfinished files of a publication have names of their own. */
export function fencedDisk(fence: Fence): Disk {
  const { disk, own } = fence;
  const staged = new Map<string, string>();
  const actual = (path: string) => staged.get(path) ?? path;
  const check = () => assertLeads(fence);
  return {
    ...disk,
    async create(path) {
      if (basename(dirname(path)) !== TEMP_FOLDER) {
        await check();
        return disk.create(path);
      }
      staged.set(path, `${path}~${own.number}`);
      return disk.create(actual(path));
    },
    async rename(from, to) {
      await check();
      await disk.rename(actual(from), to);
      staged.delete(from);
    },
    async link(from, to) {
      await check();
      return disk.link(actual(from), to);
    },
    async unlink(path) {
      await check();
      await disk.unlink(actual(path));
      staged.delete(path);
    },
    async rmdir(path) {
      await check();
      await disk.rmdir(path);
    },
  };
}

async function assertLeads({ disk, dir, own, isHeld }: Fence): Promise<void> {
  if (!isHeld()) throw new StaleTermError(`Term ${own.number} of this process is over; another host leads.`);
  await assertNewest({ disk, dir }, own);
}

async function assertNewest(folder: FencedFolder, own: TermMark): Promise<void> {
  refuseOther(folder.dir, (await marksIn(folder)).at(-1) ?? null, own);
}

function refuseOther(dir: string, newest: TermMark | null, own: TermMark): void {
  if (newest === null) return;
  if (newest.installation !== own.installation)
    throw new StaleTermError(
      `${dir} is led by hosts of another installation: its terms are counted in another database. If that database is gone for good, remove ${join(dir, TERMS_FOLDER)}.`,
    );
  if (newest.number > own.number)
    throw new StaleTermError(
      `${dir} is in term ${newest.number}; term ${own.number} of this process is over.`,
    );
}

const nameOf = ({ installation, number }: TermMark) =>
  `${String(number).padStart(DIGITS, '0')}-${installation}`;

/** In the order of their terms. */
async function marksIn({ disk, dir }: FencedFolder): Promise<readonly TermMark[]> {
  const names = await namesIn(disk, join(dir, TERMS_FOLDER));
  return names.flatMap((name) => {
    const [, number, installation] = NAME.exec(name) ?? [];
    return number === undefined || installation === undefined
      ? []
      : [{ installation, number: Number(number) }];
  });
}
