import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Disk, nodeDisk } from '../../../platform/storage/disk.ts';
import { enterTerm, fencedDisk, hasTerms, StaleTermError } from '../../../platform/storage/fence.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryFolder('fence');
  mkdirSync(join(dir, 'tmp'));
});

const folder = () => ({ disk: nodeDisk, dir });
const term = (number: number, installation = 'a1') => ({ installation, number });

async function enter(number: number): Promise<{ readonly disk: Disk; lose(): void }> {
  const own = term(number);
  let isHeld = true;
  await enterTerm(folder(), own);
  return {
    disk: fencedDisk({ ...folder(), own, isHeld: () => isHeld }),
    lose: () => {
      isHeld = false;
    },
  };
}

async function stage(disk: Disk, text: string): Promise<void> {
  const file = await disk.create(join(dir, 'tmp', 'pointer'));
  await file.write(Buffer.from(text));
  await file.close();
}

const publish = (disk: Disk) => disk.rename(join(dir, 'tmp', 'pointer'), join(dir, 'pointer'));
const published = () => readFileSync(join(dir, 'pointer'), 'utf8');

test('a new folder has no terms, and each term sees the one before it', async () => {
  expect(await hasTerms(folder())).toBe(false);
  expect(await enterTerm(folder(), term(3))).toBeNull();
  expect(await enterTerm(folder(), term(8))).toEqual(term(3));
  expect(await enterTerm(folder(), term(9))).toEqual(term(8));
  expect(await hasTerms(folder())).toBe(true);
});

test('an older writer cannot publish what it has staged, at whatever step it was replaced', async () => {
  const old = await enter(1);
  await stage(old.disk, 'first');
  await publish(old.disk);
  await stage(old.disk, 'stale');
  const next = await enter(2);
  await expect(publish(old.disk)).rejects.toThrow(StaleTermError);
  await stage(next.disk, 'second');
  await expect(publish(old.disk)).rejects.toThrow('term 1 of this process is over');
  await publish(next.disk);
  expect(published()).toBe('second');
  await expect(old.disk.unlink(join(dir, 'pointer'))).rejects.toThrow(StaleTermError);
  await expect(enterTerm(folder(), term(1))).rejects.toThrow(StaleTermError);
});

test('a rename that was checked just before the takeover never moves files of the next writer', async () => {
  const old = await enter(1);
  await stage(old.disk, 'stale');
  const next = await enter(2);
  await stage(next.disk, 'second');
  // What the system does for the old writer after the check: it renames its own file, which the next writer removes when it starts.
  await nodeDisk.unlink(join(dir, 'tmp', 'pointer~1'));
  await expect(nodeDisk.rename(join(dir, 'tmp', 'pointer~1'), join(dir, 'pointer'))).rejects.toThrow(
    'ENOENT',
  );
  await publish(next.disk);
  expect(published()).toBe('second');
});

test('a writer that has lost its lease changes nothing, even before there is another leader', async () => {
  const { disk, lose } = await enter(1);
  await stage(disk, 'first');
  lose();
  await expect(publish(disk)).rejects.toThrow('is over');
});

test('a folder of another installation is rejected, and other files among the marks are ignored', async () => {
  await enter(1);
  writeFileSync(join(dir, 'terms', 'notes.txt'), '');
  await expect(enterTerm(folder(), term(9, 'b2'))).rejects.toThrow('another installation');
  expect(await enterTerm(folder(), term(2))).toEqual(term(1));
});
