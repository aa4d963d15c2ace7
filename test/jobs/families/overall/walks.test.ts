import { afterEach, expect, test, vi } from 'vitest';
import { overallDemoSources } from '../../../../jobs/sources/demo/overall.ts';
import { datasetHashes, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { settings } from '../../sources/demo/expand-rows.ts';
import { publishOverall, receiptsIn } from './overall-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
/** Two days after clocks in Europe went forward. */
const NOW = Date.UTC(2026, 2, 31, 9, 30) / 1000;
const SOURCES = overallDemoSources(settings({ days: 9, startedAt: NOW }));

const folders: TestFolder[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) folder.remove();
});

async function walked(ends: readonly number[]) {
  const folder = testFolder();
  folders.push(folder);
  await publishOverall(folder.dir, { now: NOW, ends, sources: SOURCES });
  const hashes = datasetHashes(folder.dir);
  return { dir: folder.dir, hashes: [hashes['overall-scores'], hashes['overall-receipts']] };
}

test('however time is walked, and wherever the clock hangs, the same bytes are published', async () => {
  const whole = await walked([NOW]);
  expect(whole.hashes).not.toContain(undefined);
  expect([...receiptsIn(whole.dir).values()].flat().some(({ score }) => score !== null)).toBe(true);
  vi.stubEnv('TZ', 'Asia/Kathmandu');
  const ends = [NOW - 2 * DAY + 40_000, NOW - 300, NOW];
  expect((await walked(ends)).hashes).toEqual(whole.hashes);
});
