import { afterEach, expect, test, vi } from 'vitest';
import { layer2DemoSources } from '../../../../jobs/sources/demo/layer2.ts';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { restakingDemoSources } from '../../../../jobs/sources/demo/restaking.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { datasetHashes, inWorld, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { settings } from './expand-rows.ts';

vi.setConfig({ testTimeout: 300_000 });

const DAY = 86_400;
/** Two days after the start of daylight saving time in Europe. */
const NOW = Date.UTC(2026, 2, 31, 9, 30) / 1000;
const DEMO = settings({ days: 3, startedAt: NOW });
const IDS = [
  'layer2-statistics',
  'layer2-registry',
  'restaking-week',
  'restaking-latest',
  'base-restaking-week',
];

const folders: TestFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

/** Hashes of the datasets published after runs that end at these instants. */
async function walked(ends: readonly number[]): Promise<readonly (string | undefined)[]> {
  const folder = testFolder();
  folders.push(folder);
  await inWorld(folder.dir, { now: NOW, domains: neededFor({ datasets: IDS }) }, async (world) => {
    const sources = [...layer2DemoSources(DEMO), ...restakingDemoSources(DEMO)];
    for (const [index, to] of ends.entries()) {
      const interval = { from: ends[index - 1] ?? -1, to };
      await run({ ...world, sources }, { interval, gather: true, detect: 'nothing', publish: to === NOW });
    }
  });
  const hashes = datasetHashes(folder.dir);
  return IDS.map((id) => hashes[id]);
}

test('the same bytes are published however time is divided into runs', async () => {
  const whole = await walked([NOW]);
  expect(whole).not.toContain(undefined);
  expect(
    await walked([NOW - 5 * DAY - 1, NOW - 3 * DAY, NOW - 40_000, NOW - 34_201, NOW - 34_200, NOW]),
  ).toEqual(whole);
});
