// Events are published before the datasets of their time.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventLog } from '../../snapshots/events.ts';
import { followSnapshots } from '../../snapshots/follow.ts';
import { openHistory } from '../../snapshots/history.ts';
import { datasetsAsOf, type SegmentEntry } from '../../snapshots/layout.ts';
import { publishEvents } from '../../snapshots/publish-events.ts';
import { openVersion } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { runTick } from './support/ticks.ts';
import { candidate, iso, publication, T0, withFolder } from './support/world.ts';

const at = (tick: number) => iso(T0 + tick * 300_000);

async function append(dir: string, tick: number): Promise<readonly SegmentEntry[]> {
  const { head } = await openHistory(inFolder(dir));
  const log = await openEventLog(inFolder(dir), head?.events.segments ?? []);
  await log.append([candidate(`early ${tick}`, T0 + tick * 300_000)], T0 + tick * 300_000);
  return log.segments();
}

const announce = (dir: string, tick: number, segments: readonly SegmentEntry[]) =>
  publishEvents(inFolder(dir), { as_of: at(tick), generated_at: at(tick), segments });

test('a version with new events has the datasets of the version before it, and says of which time they are', () =>
  withFolder(async (dir) => {
    const { manifest: before } = await runTick(dir, 0);
    const segments = await append(dir, 1);
    const announced = await announce(dir, 1, segments);
    expect(announced).toMatchObject({
      as_of: at(1),
      datasets_as_of: at(0),
      previous: before.version,
      datasets: before.datasets,
      events: { count: 2, segments },
    });
    // A second one, after a crash before the datasets were published.
    const again = await announce(dir, 2, await append(dir, 2));
    expect(again).toMatchObject({ as_of: at(2), datasets_as_of: at(0), events: { count: 3 } });
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
    const { manifest } = await publishVersion(
      inFolder(dir),
      publication(2, { segments: again?.events.segments ?? [] }),
    );
    expect(manifest).not.toHaveProperty('datasets_as_of');
    expect([datasetsAsOf(manifest), manifest.previous]).toEqual([at(2), again?.version]);
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
  }));

test('a reader goes from version to version and misses none of them', () =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    const seen: (readonly [string, number])[] = [];
    const follower = await followSnapshots(inFolder(dir), {
      load: async ({ manifest }) => [datasetsAsOf(manifest), manifest.events.count] as const,
      onSwap: ({ value }) => seen.push(value),
      onFault: (error) => {
        throw error;
      },
      repeat: () => () => undefined,
    });
    await announce(dir, 1, await append(dir, 1));
    await follower.poll();
    await runTick(dir, 1);
    await follower.poll();
    await follower.stop();
    expect(seen).toEqual([
      [at(0), 1],
      [at(0), 2],
      [at(1), 3],
    ]);
  }));

test('before the first version, nothing is published', () =>
  withFolder(async (dir) => {
    expect(await announce(dir, 0, await append(dir, 0))).toBeNull();
    expect((await openHistory(inFolder(dir))).head).toBeNull();
  }));

test.each([
  ['is lost', (file: string) => rm(file)],
  ['is damaged', (file: string) => writeFile(file, '{}')],
])('while the pointer %s, nothing is published: a full publication repairs it', (_, spoil) =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    await runTick(dir, 1);
    const segments = await append(dir, 2);
    await spoil(join(dir, 'current.json'));
    expect(await announce(dir, 2, segments)).toBeNull();
    const { damage } = await publishVersion(inFolder(dir), publication(2, { segments }));
    expect(damage).toHaveLength(1);
  }),
);

test('a shorter log, an earlier time and a damaged segment are refused, and the version in place stays', () =>
  withFolder(async (dir) => {
    const { manifest } = await runTick(dir, 3);
    const segments = await append(dir, 4);
    await expect(announce(dir, 4, [])).rejects.toThrow('is already published');
    await expect(announce(dir, 2, segments)).rejects.toThrow('published time never goes backward');
    await writeFile(join(dir, 'events', segments.at(-1)?.name ?? ''), 'damaged');
    await expect(announce(dir, 4, segments)).rejects.toThrow('bytes');
    expect((await openHistory(inFolder(dir))).head?.version).toBe(manifest.version);
  }));

test('going back to a version with new events keeps the time of its datasets, and going back to nothing has none', () =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    const announced = await announce(dir, 1, await append(dir, 1));
    await runTick(dir, 1);
    const request = { as_of: at(5), generated_at: at(5) };
    const store = inFolder(dir);
    const back = await retractTo(store, { ...request, version: announced?.version ?? '' });
    const { manifest } = await openVersion(store, back.version);
    expect(manifest).toMatchObject({ as_of: at(1), datasets_as_of: at(0), events: { count: 3 } });
    const empty = await retractTo(store, { ...request, version: null });
    expect((await openVersion(store, empty.version)).manifest).not.toHaveProperty('datasets_as_of');
  }));
