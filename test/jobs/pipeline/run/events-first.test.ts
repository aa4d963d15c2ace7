// A run publishes its events before it computes what datasets depend on.
import { afterEach, expect, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import type { Model } from '../../../../jobs/pipeline/models/model.ts';
import { DEMO_NOW, FEED_DEMO, feedDemoFolder } from '../../../support/demo-folder.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
  type TestWorldOptions,
} from '../../../support/pipeline-world.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

let dirs: string[] = [];
afterEach(() => {
  dirs.forEach(removeFolder);
  dirs = [];
});

async function ranOnce(): Promise<string> {
  const dir = await feedDemoFolder();
  dirs.push(dir);
  return dir;
}

/** Some feeds have become stale by then. */
const LATER: TestWorldOptions = { ...FEED_DEMO, now: DEMO_NOW + 6 * 3_600 };

/** What computes a dataset fails. */
function breakDatasets({ warehouse }: PipelineContext): void {
  const rebuild = warehouse.rebuild.bind(warehouse);
  vi.spyOn(warehouse, 'rebuild').mockImplementation((model, window) =>
    (model as Model).layer === 'out'
      ? Promise.reject(new Error('no datasets today'))
      : rebuild(model, window),
  );
}

const failedRun = (dir: string, options: TestWorldOptions) =>
  inWorld(dir, options, async (world) => {
    breakDatasets(world);
    await expect(runOnce(world, null)).rejects.toThrow('no datasets today');
  });

test('events are published even if the datasets of their time cannot be computed, and the next run publishes those', async () => {
  const dir = await ranOnce();
  const [before, eventsBefore] = [publishedManifest(dir), publishedEvents(dir)];
  await failedRun(dir, LATER);
  const early = publishedManifest(dir);
  const events = publishedEvents(dir);
  expect(events.length).toBeGreaterThan(eventsBefore.length);
  expect(events.slice(0, eventsBefore.length)).toEqual(eventsBefore);
  expect(early).toMatchObject({
    as_of: '2026-03-10T15:30:00Z',
    datasets_as_of: before.as_of,
    datasets: before.datasets,
    events: { count: events.length },
  });
  await inWorld(dir, LATER, (world) => runOnce(world, null));
  const whole = await ranOnce();
  await inWorld(whole, LATER, (world) => runOnce(world, null));
  expect(publishedManifest(dir)).not.toHaveProperty('datasets_as_of');
  expect(publishedEvents(dir)).toEqual(events);
  expect(publishedEvents(whole)).toEqual(events);
  expect(datasetHashes(dir)).toEqual(datasetHashes(whole));
});

test('events found under new rules wait for the datasets, which contain those rules', async () => {
  const dir = await ranOnce();
  const before = publishedManifest(dir);
  const policy = { oracle: { grace_s: 90 } };
  await failedRun(dir, { ...LATER, config: { policy } });
  expect(publishedManifest(dir)).toEqual(before);
  await inWorld(dir, { ...LATER, config: { policy } }, (world) => runOnce(world, null));
  expect(publishedEvents(dir).length).toBeGreaterThan(before.events.count);
});
