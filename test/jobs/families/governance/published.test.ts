import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import { exampleConfig } from '../../../support/domain-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld, publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { describeRealData } from '../../../support/real-data.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

describeRealData('a version of recorded governors', () => {
  test('is published, warns of the five tallies and the unknown electorate in its gate, and names them where it says how sure it is', async () => {
    const now = Date.UTC(2025, 1, 9, 23, 59, 59) / 1000;
    const config = { ...exampleConfig('governance') };
    const domains = neededFor({ datasets: ['governance', 'governance-figures'] });
    const problems = await inWorld(folder.dir, { config, now, domains }, async (world) => {
      const interval = { from: -1, to: now };
      return (await run(world, { interval, gather: true, detect: 'nothing', publish: true })).problems;
    });
    expect(problems).toEqual([]);
    const entry = publishedManifest(folder.dir).datasets['governance'];
    const named =
      'aave: the votes of 5 of 240 proposals do not add up to their tallies: 6 (with repeated votes), 53, 134, 165, 237';
    const missing = 'aave: no source reports how many may vote, participation_rate is missing';
    const silent =
      'compound: 2532 rows of governor_event, 1 row of governance_electorate landed, the newest of 2021-03-30T11:38:04Z, older than the seven days, and no record is published';
    expect(entry).toMatchObject({
      documents: 1,
      confidence: {
        score: 0.9247,
        level: 'high',
        inputs_used: 5,
        inputs_expected: 5,
        reasons: [named, missing, silent],
      },
      quality_gate: { verdict: 'warn' },
    });
    expect(entry?.sources.map(({ id, license }) => [id, license])).toContainEqual(['aave-v3-votes', 'MIT']);
    const warned = entry?.quality_gate.checks.filter(({ verdict }) => verdict === 'warn');
    expect(warned).toEqual([
      { name: 'every landed subject is published', verdict: 'warn', detail: expect.stringContaining(silent) },
      { name: expect.stringContaining('add up'), verdict: 'warn', detail: named },
      { name: expect.stringContaining('reported electorate'), verdict: 'warn', detail: missing },
    ]);
  });
});
