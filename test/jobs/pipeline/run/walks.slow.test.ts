// However time is divided into runs, the same events and datasets are published.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backfill } from '../../../../jobs/commands/work.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { neededFor } from '../../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  seriesHashes,
  type TestFolder,
  testFolder,
  withoutIds,
} from '../../../support/pipeline-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** Only feeds, their events and their coverage, because a walk is many runs. */
const WORLD = {
  flags: ['--demo-days', '6'],
  now: NOW,
  domains: neededFor({
    datasets: ['oracle-pairs', 'oracle-parameters', 'detector-state', 'pegs', 'feeds', 'coverage'],
    events: ['oracle.', 'peg.'],
  }),
};

const folders: TestFolder[] = [];
const newFolder = () => {
  const folder = testFolder();
  folders.push(folder);
  return folder.dir;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const FIRST_DAY = Date.UTC(2026, 2, 4) / 1000;
const FROM = NOW - 7 * DAY;
const walk =
  (step: number, to = NOW) =>
  (world: PipelineContext) =>
    backfill(world, { from: FROM, to, step_seconds: step });

/** A copy of a folder that was walked in steps of this many hours and two minutes. */
async function walkedBy(hours: number): Promise<string> {
  const copy = await preparedCopy(`walked-by-${hours}-hours`, async (location) => {
    await inWorld(location, WORLD, walk(hours * 3_600 + 123));
  });
  folders.push({ dir: copy, remove: () => removeFolder(copy) });
  return copy;
}
const someWalked = () => walkedBy(COUNTS.walkHours[0] ?? DAY / 3_600);

// Whole pipelines: each walk is many runs.
vi.setConfig({ testTimeout: 300_000 });

describe('walking time', () => {
  it('gives the same events in the same order and the same dataset bytes in one go and in larger steps', async () => {
    const dir = newFolder();
    await inWorld(dir, WORLD, walk(30 * DAY));
    const events = withoutIds(publishedEvents(dir));
    expect(events.length).toBeGreaterThan(20);
    for (const hours of COUNTS.walkHours) {
      const walked = await walkedBy(hours);
      expect(withoutIds(publishedEvents(walked))).toEqual(events);
      expect(datasetHashes(walked)).toEqual(datasetHashes(dir));
      expect(seriesHashes(walked)).toEqual(seriesHashes(dir));
    }
  });

  it('gives the same in small steps as in one go', async () => {
    // A depeg begins and ends between these two.
    const [from, to] = [FIRST_DAY + 3.25 * DAY, FIRST_DAY + 3.4 * DAY];
    const before = { from: FROM, to: from, step_seconds: 30 * DAY };
    const [dir, steps] = [newFolder(), newFolder()];
    await inWorld(dir, WORLD, (world) => backfill(world, { from: FROM, to, step_seconds: 30 * DAY }));
    await inWorld(steps, WORLD, async (world) => {
      await backfill(world, before);
      return backfill(world, { from, to, step_seconds: COUNTS.walkStepSeconds });
    });
    const events = withoutIds(publishedEvents(dir));
    const inside = events.filter(({ ts }) => Date.parse(ts) > from * 1000).map(({ type }) => type);
    expect(inside).toEqual(expect.arrayContaining(['peg.depeg.start', 'peg.depeg.end']));
    expect(withoutIds(publishedEvents(steps))).toEqual(events);
    expect(datasetHashes(steps)).toEqual(datasetHashes(dir));
    expect(seriesHashes(steps)).toEqual(seriesHashes(dir));
  });

  it('appends nothing twice and changes no id when intervals are run again, in any order', async () => {
    const dir = await someWalked();
    const events = publishedEvents(dir);
    const datasets = datasetHashes(dir);
    const intervals = [4, 1, 6, 3].slice(0, COUNTS.repeatedDays).map((day) => ({
      from: FROM + day * DAY,
      to: FROM + (day + 1) * DAY,
      step_seconds: DAY,
    }));
    await inWorld(dir, WORLD, async (world) => {
      for (const interval of intervals) await backfill(world, interval);
    });
    expect(publishedEvents(dir)).toEqual(events);
    expect(datasetHashes(dir)).toEqual(datasets);
  });

  it('finds every event once when days are first run in a shuffled order', async () => {
    const [dir, shuffled] = [await someWalked(), newFolder()];
    await inWorld(shuffled, WORLD, async (world) => {
      await run(world, { interval: { from: -1, to: NOW }, gather: true, detect: 'nothing', publish: false });
      const starts = [3, 0, 6, 1, 5, 2, 4].filter((day) => day % COUNTS.shuffledDays === 0);
      for (const day of starts) {
        const to = Math.min(NOW, FROM + (day + COUNTS.shuffledDays) * DAY);
        await backfill(world, { from: FROM + day * DAY, to, step_seconds: COUNTS.shuffledDays * DAY });
      }
    });
    const keys = (folder: string) =>
      publishedEvents(folder)
        .map(({ key }) => key)
        .sort();
    expect(keys(shuffled)).toEqual(keys(dir));
    expect(datasetHashes(shuffled)).toEqual(datasetHashes(dir));
  });
});
