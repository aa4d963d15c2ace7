// What a run does when part of what it published is gone: it stops and says what to restore, or continues from the newest version.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStatus, statusLines } from '../../../../jobs/commands/status.ts';
import { catchUp, rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { segmentPath } from '../../../../snapshots/layout.ts';
import { verifyFolder } from '../../../../snapshots/verify.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { deliver, sampleOptions } from '../../../support/sample-family/deliveries.ts';
import { inWorld, publishedEvents, publishedManifest, testFolder } from '../../../support/pipeline-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const TICK = 300;

let dir: string;
let snapshots: string;
beforeEach(async () => {
  dir = await preparedCopy('four-ticks', async (folder) => {
    for (let tick = 0; tick < 4; tick++) await runIn(folder, NOW + tick * TICK);
  });
  snapshots = join(dir, 'snapshots');
});
afterEach(() => removeFolder(dir));

async function runIn(folder: string, now: number): Promise<number> {
  deliver(folder, now);
  return inWorld(folder, sampleOptions(now), (world) => runOnce(world, null));
}
const runAt = (now: number) => runIn(dir, now);

const statusAt = (now: number) =>
  readStatus({
    disk: nodeDisk,
    dataDir: dir,
    snapshots: inFolder(snapshots),
    ledger: join(dir, 'ledger.ndjson'),
    nowMs: now * 1000,
  });

const later = NOW + 10 * TICK;

describe('a lost event segment', () => {
  it('stops every run until it is restored, and nothing of the log is lost then', async () => {
    const events = publishedEvents(dir);
    expect(events).toHaveLength(4);
    cpSync(join(snapshots, 'events'), join(dir, 'copy'), { recursive: true });
    rmSync(join(snapshots, 'events'), { recursive: true });
    const current = readFileSync(join(snapshots, 'current.json'), 'utf8');
    const lost = segmentPath(publishedManifest(dir).events.segments[0]?.name ?? '');
    for (const work of [(now: number) => runAt(now), rebuildAt, catchUpAt])
      await expect(work(later)).rejects.toThrow(
        new RegExp(`${lost} is damaged: .*Restore it from a copy \\(a mirror or a backup\\)`),
      );
    expect(readFileSync(join(snapshots, 'current.json'), 'utf8')).toBe(current);
    const status = await statusAt(later);
    expect(status.faults.join()).toContain(lost);
    expect(statusLines(status, (operands) => operands)[0]).toBe('No published version can be read.');
    expect(await verifyFolder(inFolder(snapshots))).not.toEqual([]);
    cpSync(join(dir, 'copy'), join(snapshots, 'events'), { recursive: true });
    expect(await runAt(later)).toBe(0);
    expect(publishedEvents(dir).slice(0, 4)).toEqual(events);
    expect(publishedEvents(dir)).toHaveLength(5);
    expect((await statusAt(later)).faults).toEqual([]);
  });
});

const rebuildAt = (now: number) => inWorld(dir, sampleOptions(now, { isRebuild: true }), rebuild);
const catchUpAt = (now: number) => inWorld(dir, sampleOptions(now), catchUp);

describe('a published folder that is gone or an older copy', () => {
  it('is refused while the ledger knows of later versions', async () => {
    const copy = join(dir, 'copy');
    cpSync(snapshots, copy, { recursive: true });
    await runAt(later);
    const { version } = publishedManifest(dir);
    rmSync(snapshots, { recursive: true });
    await expect(runAt(later + TICK)).rejects.toThrow(
      `The ledger records that version ${version} was published, but ${snapshots} holds no version. Restore that folder`,
    );
    cpSync(copy, snapshots, { recursive: true });
    await expect(runAt(later + TICK)).rejects.toThrow(/Restore whichever of the two is an older copy/);
    expect((await statusAt(later + TICK)).faults.join()).toContain(`version ${version} was published`);
  });

  it('starts over, with a new log, when the ledger is moved away too', async () => {
    rmSync(snapshots, { recursive: true });
    rmSync(join(dir, 'ledger.ndjson'));
    expect(await runAt(later)).toBe(0);
    expect(publishedEvents(dir)).toHaveLength(5);
  });
});

describe('a lost ledger', () => {
  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => writeFileSync(file, '')],
    [
      'an older copy',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 3).join('\n')),
    ],
  ])('that is %s changes neither the log nor what is published', async (_word, damage) => {
    const events = publishedEvents(dir);
    damage(join(dir, 'ledger.ndjson'));
    expect(await runAt(later)).toBe(0);
    expect(publishedEvents(dir).slice(0, 4)).toEqual(events);
    expect(publishedEvents(dir)).toHaveLength(5);
  });

  it('that was replaced by a later copy of another folder stops the run, instead of leaving time out', async () => {
    const file = join(dir, 'ledger.ndjson');
    const mine = readFileSync(file, 'utf8');
    const other = testFolder();
    try {
      deliver(other.dir, later - TICK);
      await inWorld(other.dir, sampleOptions(later - TICK), (world) => runOnce(world, null));
      cpSync(join(other.dir, 'ledger.ndjson'), file);
    } finally {
      other.remove();
    }
    await expect(runAt(later)).rejects.toThrow(/The ledger records/);
    writeFileSync(file, mine);
    expect(await runAt(later)).toBe(0);
  });
});

describe('a damaged pointer', () => {
  it('is named by status until the next run, which replaces it and records that', async () => {
    const pointer = join(snapshots, 'current.json');
    const before = publishedManifest(dir).version;
    writeFileSync(pointer, readFileSync(pointer, 'utf8').replace('manifest', 'menifest'));
    expect((await statusAt(NOW)).faults.join()).toContain('current.json is damaged');
    expect(await runAt(later)).toBe(0);
    expect(publishedManifest(dir).previous).toBe(before);
    const { runs, faults } = await statusAt(later);
    expect(faults).toEqual([]);
    expect(runs.at(-1)?.repaired?.join()).toContain('current.json is damaged');
  });

  it('is replaced even by a run that has nothing new', async () => {
    const now = NOW + 3 * TICK;
    writeFileSync(join(snapshots, 'current.json'), '');
    expect(await inWorld(dir, sampleOptions(now), (world) => runOnce(world, null))).toBe(0);
    expect(publishedEvents(dir)).toHaveLength(4);
    expect((await statusAt(now)).faults).toEqual([]);
  });
});

describe('a damaged dataset file that the next version would use again', () => {
  it('is rewritten and recorded', async () => {
    const { sha256 = '' } = publishedManifest(dir).datasets['buoys'] ?? {};
    const file = join(snapshots, 'datasets/buoys', `${sha256}.ndjson`);
    const whole = readFileSync(file);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(30) ^ 1, 30);
    writeFileSync(file, flipped);
    expect(await inWorld(dir, sampleOptions(later), (world) => runOnce(world, null))).toBe(0);
    expect(publishedManifest(dir).datasets['buoys']?.sha256).toBe(sha256);
    expect(readFileSync(file)).toEqual(whole);
    expect((await statusAt(later)).runs.at(-1)?.repaired?.join()).toContain(sha256);
    expect(existsSync(file) && readdirSync(join(snapshots, 'tmp'))).toEqual([]);
  });
});
