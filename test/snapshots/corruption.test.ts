// Random damage to published files: found by `verify` and by readers, while the last good version is served.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { type Follower, followSnapshots } from '../../snapshots/follow.ts';
import { openHistory } from '../../snapshots/history.ts';
import { type Manifest, manifestPath, POINTER_FILE } from '../../snapshots/layout.ts';
import type { VersionReader } from '../../snapshots/read.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { COUNTS } from '../reliability/counts.ts';
import { inFolder } from '../support/in-folder.ts';
import { DAMAGES, damageFile, filesBelow, seededRandom } from './support/corrupt.ts';
import { candidate, dataset, publication, T0, withFolder } from './support/world.ts';

/** Everything a reader can get from a version. */
async function readAll(reader: VersionReader): Promise<{ tick: unknown; events: string[] }> {
  const ticks = new Set<unknown>();
  for (const id of Object.keys(reader.manifest.datasets))
    for (const { key, value } of await reader.documents(id)) if (key === 'tick') ticks.add(value);
  if (ticks.size !== 1) throw new Error(`Datasets of ${ticks.size} versions are mixed.`);
  const events: string[] = [];
  for await (const { key } of eventsAfter(reader.store, reader.manifest.events.segments, null))
    events.push(key);
  return { tick: [...ticks][0], events };
}

const startFollower = (
  dir: string,
  faults: string[],
): Promise<Follower<{ tick: unknown; events: string[] }>> =>
  followSnapshots(inFolder(dir), {
    load: readAll,
    onFault: ({ message }) => faults.push(message),
    repeat: () => () => {},
  });

async function publishTicks(dir: string, ticks: number): Promise<Manifest> {
  const log = await openEventLog(inFolder(dir), [], { maxSegmentBytes: 300, minIndexedBytes: 0 });
  let manifest: Manifest | null = null;
  for (let tick = 0; tick < ticks; tick++) {
    await log.append([candidate(`event ${tick}`, T0 + tick)], T0 + tick);
    const datasets = [
      dataset('one', { tick, a: 'x'.repeat(200) }),
      dataset('two', { tick, b: { c: [tick, null] } }),
    ];
    ({ manifest } = await publishVersion(
      inFolder(dir),
      publication(tick, { datasets, segments: log.segments() }),
    ));
  }
  if (manifest === null) throw new Error('nothing published');
  return manifest;
}

/** Expects a run to start with an error about the damage, or with every event. */
async function writerStopsOrKeepsAll(dir: string): Promise<void> {
  try {
    const { head } = await openHistory(inFolder(dir));
    const log = await openEventLog(inFolder(dir), head?.events.segments ?? []);
    expect(log.count()).toBe(3);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedFileError);
  }
}

const MS_PER_CORRUPTION = 1_000;

describe('damage to published files', { timeout: COUNTS.corruptions * MS_PER_CORRUPTION }, () => {
  test('is always found, and the last good version is served', () =>
    withFolder(async (dir) => {
      await publishTicks(dir, 3);
      const faults: string[] = [];
      const follower = await startFollower(dir, faults);
      const files = (await filesBelow(dir)).filter((file) => !file.startsWith(join(dir, 'tmp')));
      const random = seededRandom(7);
      for (let i = 0; i < COUNTS.corruptions; i++) {
        const file = files[Math.floor(random() * files.length)] ?? '';
        const kind = DAMAGES[i % DAMAGES.length] ?? 'flip';
        const before = await damageFile(file, kind, random, files);
        const findings = await verifyFolder(inFolder(dir));
        expect(findings.length, `${kind} of ${file}`).toBeGreaterThan(0);
        await follower.poll();
        expect(follower.current()?.value).toEqual({ tick: 2, events: ['event 0', 'event 1', 'event 2'] });
        const restarted = await startFollower(dir, faults);
        const served = restarted.current()?.value;
        // A segment may belong to every version; a reader that starts then has nothing to serve.
        if (!file.startsWith(join(dir, 'events')))
          expect(served?.events).toHaveLength(Number(served?.tick) + 1);
        await writerStopsOrKeepsAll(dir);
        await writeFile(file, before);
      }
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('to any byte of the pointer or the manifest is found by a reader that starts', () =>
    withFolder(async (dir) => {
      const { version } = await publishTicks(dir, 2);
      for (const path of [POINTER_FILE, manifestPath(version)]) {
        const file = join(dir, path);
        const { length } = await nodeDisk.read(file);
        for (let at = 0; at < length; at += path === POINTER_FILE ? 3 : 37) {
          const original = await nodeDisk.read(file);
          const flipped = Buffer.from(original);
          flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
          await writeFile(file, flipped);
          const faults: string[] = [];
          const follower = await startFollower(dir, faults);
          expect(faults.length, `byte ${at} of ${path}`).toBeGreaterThan(0);
          expect(follower.current()?.value.events.length).toBe(Number(follower.current()?.value.tick) + 1);
          await writeFile(file, original);
        }
      }
    }));

  test('to a middle version is found only by verify, with what to do', () =>
    withFolder(async (dir) => {
      await publishTicks(dir, 3);
      const [, middle = ''] = (await filesBelow(join(dir, 'versions'))).map((file) => file);
      await rm(middle);
      const [finding, ...others] = await verifyFolder(inFolder(dir));
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        problem: 'expected a file, found nothing',
        advice: expect.stringContaining('Restore it'),
      });
      expect(join(dir, finding?.file ?? '')).toBe(middle);
    }));
});
