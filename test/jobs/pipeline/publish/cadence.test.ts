// What a version states about how often its datasets change.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { statedCadence } from '../../../../jobs/pipeline/publish/publication.ts';
import type { Settings } from '../../../../platform/settings/settings.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { deliver, sampleOptions } from '../../../support/sample-family/deliveries.ts';

const NOW = Date.UTC(2026, 2, 8, 12) / 1000;

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
  deliver(folder.dir, NOW);
});
afterEach(() => folder.remove());

async function cadences(flags: readonly string[]): Promise<Set<number>> {
  await inWorld(folder.dir, sampleOptions(NOW, { flags }), (world) => runOnce(world, null));
  const { datasets } = publishedManifest(folder.dir);
  expect(Object.keys(datasets)).toContain('corrections');
  expect(Object.keys(datasets)).toContain('status-history');
  return new Set(Object.values(datasets).map((dataset) => dataset.update_cadence_seconds));
}

test('no stated cadence is shorter than the time between runs', async () => {
  expect(await cadences(['--tick-seconds', '3600'])).toEqual(new Set([3_600]));
});

test('a shorter tick shortens no cadence', async () => {
  expect(await cadences(['--tick-seconds', '60'])).toEqual(new Set([300]));
});

test.each([
  [300, 299, 300],
  [300, 301, 301],
  [86_400, 3_600, 86_400],
])('of %i s with a tick of %i s it is %i s', (own, tick_seconds, stated) => {
  expect(statedCadence({ settings: { tick_seconds } as Settings }, own)).toBe(stated);
});
