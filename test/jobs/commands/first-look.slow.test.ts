import { afterEach, beforeEach, expect, test } from 'vitest';
import { firstLook } from '../../../jobs/commands/schedule.ts';
import { catchUp } from '../../../jobs/commands/work.ts';
import { familyOf } from '../../../snapshots/verdict.ts';
import { neededFor } from '../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
  seriesHashes,
  type TestFolder,
  testFolder,
  withoutIds,
} from '../../support/pipeline-world.ts';

const WORLD = {
  flags: ['--demo-days', '6'],
  now: Date.UTC(2026, 2, 10, 9, 30) / 1000,
  domains: neededFor({
    datasets: ['coverage', 'manifest-summary', 'oracle-pairs', 'feeds', 'pegs', 'restaking-week'],
    events: ['oracle.', 'peg.'],
  }),
};

const folders: TestFolder[] = [];
let looked: string;
let plain: string;
beforeEach(() => {
  folders.push(testFolder(), testFolder());
  [looked = '', plain = ''] = folders.map(({ dir }) => dir);
});
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

test('a first look publishes the cheap datasets, and the next tick publishes the same as without it', async () => {
  await inWorld(looked, WORLD, async (world) => {
    const to = Math.floor(world.nowMs() / 1000);
    await firstLook(world, to);
    const manifest = publishedManifest(looked);
    const { datasets, events } = manifest;
    expect(Object.keys(datasets)).toEqual(
      expect.arrayContaining(['coverage', 'manifest-summary', 'oracle-pairs']),
    );
    for (const later of ['restaking-week', 'pegs']) expect(Object.keys(datasets)).not.toContain(later);
    expect(familyOf(manifest, 'pegs')).toMatchObject({
      state: 'partial',
      message: 'Feeds and pegs can be judged in part: pegs is not computed yet.',
    });
    expect(events.count).toBe(0);
    expect(Object.keys(seriesHashes(looked))).toEqual([]);
    await catchUp(world, () => false, to);
  });
  await inWorld(plain, WORLD, (world) => catchUp(world));
  expect(datasetHashes(looked)).toEqual(datasetHashes(plain));
  expect(seriesHashes(looked)).toEqual(seriesHashes(plain));
  expect(Object.keys(seriesHashes(looked))).toEqual(expect.arrayContaining(['feeds', 'pegs']));
  expect(withoutIds(publishedEvents(looked))).toEqual(withoutIds(publishedEvents(plain)));
});
