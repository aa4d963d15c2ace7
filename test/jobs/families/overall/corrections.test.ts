import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Source } from '../../../../jobs/define/source.ts';
import { overallDemoSources } from '../../../../jobs/sources/demo/overall.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { settings } from '../../sources/demo/expand-rows.ts';
import { publishOverall, scoresIn } from './overall-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 31, 9, 30) / 1000;
const TODAY = NOW - (NOW % DAY);
const DEMO = overallDemoSources(settings({ days: 9, startedAt: NOW }));

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

/** A large pool of Lido that no source reported on its day. */
const late: Source = {
  facts: { id: 'late', kind: 'file', name: 'Late pools', url: null, chain: null, license: null },
  table: 'overall_pool',
  async *deliveries() {
    const columns = {
      protocol: ['lido'],
      pool_id: ['forgotten'],
      tvl_usd: [1e9],
      depth_usd: [1e9],
      observed_at: [TODAY - 6 * DAY + 100],
    };
    yield { kind: 'columns', count: 1, columns };
  },
};

function corrections() {
  const { sha256 } = publishedManifest(folder.dir).datasets['corrections'] ?? {};
  const path = join(folder.dir, 'snapshots/datasets/corrections', `${sha256}.ndjson`);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).value);
}

test('a pool that is reported after its day has left the list corrects the score of that day and of the one it is carried to', async () => {
  await publishOverall(folder.dir, { now: NOW, sources: DEMO });
  const before = scoresIn(folder.dir).get('lido') ?? [];
  const later = NOW + 2 * DAY;
  await publishOverall(folder.dir, { now: later, sources: DEMO });
  expect(corrections()).toEqual([]);
  await publishOverall(folder.dir, { now: later + 300, sources: [...DEMO, late] });
  const found = corrections().toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const shared = { dataset: 'overall-scores', key: 'lido', reason: 'rows came late: obs.overall_pool' };
  expect(found).toMatchObject([
    { ...shared, old_value: before[6] },
    { ...shared, old_value: before[5] },
  ]);
  for (const { old_value, new_value } of found) {
    expect(new_value.timestamp).toBe(old_value.timestamp);
    expect(Math.abs(new_value.score - old_value.score)).toBeGreaterThan(0.001);
  }
});
