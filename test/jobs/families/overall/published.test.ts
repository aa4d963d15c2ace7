import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { developmentDemoSources } from '../../../../jobs/sources/demo/development.ts';
import { governanceDemoSources } from '../../../../jobs/sources/demo/governance.ts';
import { overallDemoSources } from '../../../../jobs/sources/demo/overall.ts';
import { socialDemoSources } from '../../../../jobs/sources/demo/social.ts';
import { OVERALL_COMPONENTS } from '../../../../schemas/overall.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { settings } from '../../sources/demo/expand-rows.ts';
import { publishOverall, receiptsIn, scoresIn } from './overall-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 31, 9, 30) / 1000;
const DEMO = settings({ days: 9, startedAt: NOW });
const WEEK = [0, 1, 2, 3, 4, 5, 6].map((back) => {
  const day = NOW - (NOW % DAY) - back * DAY;
  return new Date(day * 1000).toISOString().replace('.000Z', 'Z');
});

let folder: TestFolder;
beforeAll(async () => {
  folder = testFolder();
  const families = [developmentDemoSources, governanceDemoSources, socialDemoSources, overallDemoSources];
  await publishOverall(folder.dir, { now: NOW, sources: families.flatMap((family) => family(DEMO)) });
});
afterAll(() => folder.remove());

test('a protocol with all six components has a record on each of seven days, newest first', () => {
  const aave = scoresIn(folder.dir).get('aave');
  expect(aave?.map(({ timestamp }) => timestamp)).toEqual(WEEK);
  const receipts = receiptsIn(folder.dir).get('aave');
  expect(receipts?.map(({ known_components, known_weight }) => [known_components, known_weight])).toEqual(
    WEEK.map(() => [6, 1]),
  );
});

test('a receipt follows from what it names: the score from its components, the hashes from its inputs', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  let records = 0;
  for (const receipt of [...receiptsIn(folder.dir).values()].flat()) {
    expect(receipt.components.map(({ component }) => component)).toEqual([...OVERALL_COMPONENTS]);
    for (const { inputs, input_hash, score, gap } of receipt.components) {
      expect(input_hash).toBe(inputs === null ? null : sha256(inputs));
      expect([score === null, inputs === null]).toEqual([gap !== null, gap !== null]);
    }
    const named = receipt.components
      .map(({ component, input_hash, gap }) => `${component}=${input_hash ?? gap}`)
      .toSorted();
    expect(receipt.input_hash).toBe(sha256(named.join(';')));
    if (receipt.score === null) continue;
    records += 1;
    const used = receipt.components.map(({ score, weight_used }) => (score ?? 0) * (weight_used ?? 0));
    expect(Math.abs(used.reduce((sum, part) => sum + part, 0) - receipt.score)).toBeLessThan(0.000_06);
  }
  expect(records).toBe(7 * 12);
});

test('what is listed as a score is what the receipts say', () => {
  const listed = [...scoresIn(folder.dir)];
  expect(listed).toHaveLength(12);
  for (const [protocol, scores] of listed) {
    const receipts = receiptsIn(folder.dir).get(protocol) ?? [];
    const kept = receipts.filter(({ gap }) => gap === null);
    expect(scores).toEqual(kept.map(({ score, timestamp }) => ({ score, timestamp })));
  }
});

test('four components that weigh .70 make records, by weights that add up to 1', () => {
  for (const receipt of receiptsIn(folder.dir).get('morpho') ?? []) {
    expect(receipt).toMatchObject({ known_components: 4, known_weight: 0.7, gap: null });
    const used = receipt.components.map(({ weight_used }) => weight_used);
    expect(used).toEqual([0.357143, 0.357143, null, null, 0.171429, 0.114286]);
    expect(receipt.components.map(({ gap }) => gap)).toEqual([
      null,
      null,
      'not_mapped',
      'no_data',
      null,
      null,
    ]);
  }
});

test('a protocol with too few components has no records, and every day says why', () => {
  expect(scoresIn(folder.dir).has('synthetix')).toBe(false);
  const receipts = receiptsIn(folder.dir).get('synthetix') ?? [];
  expect(receipts.map(({ timestamp }) => timestamp)).toEqual(WEEK);
  for (const receipt of receipts) {
    expect(receipt).toMatchObject({
      score: null,
      gap: 'too_few_components',
      reason: '2 of 6 components are known, 4 are needed',
    });
    expect(receipt.components.every(({ weight_used }) => weight_used === null)).toBe(true);
  }
});

test('a day without pools is scored by the others, their weights renormalised', () => {
  const days = receiptsIn(folder.dir).get('curve') ?? [];
  const without = days.filter(({ known_components }) => known_components === 5);
  expect(without).toHaveLength(1);
  expect(without[0]).toMatchObject({
    known_weight: 0.75,
    gap: null,
    quality_gate: { verdict: 'warn', warnings: ['liquidity'] },
  });
  expect(without[0]?.components[0]).toMatchObject({
    component: 'liquidity',
    score: null,
    gap: 'no_data',
    reason: 'no pool was seen on the day',
    weight_used: null,
  });
  expect(without[0]?.components[1]).toMatchObject({ component: 'security', weight_used: 0.333333 });
});

test('the manifest names every source as simulated, and missing components make the datasets less sure', () => {
  const { datasets } = publishedManifest(folder.dir);
  for (const id of ['overall-scores', 'overall-receipts']) {
    const entry = datasets[id];
    expect(entry?.sources.map(({ kind }) => kind)).toEqual(Array(12).fill('simulated'));
    expect(entry?.sources.every(({ content_hash }) => /^[0-9a-f]{64}$/.test(content_hash ?? ''))).toBe(true);
    expect(entry?.quality_gate).toMatchObject({ verdict: 'warn', policy_version: '1.0.0' });
    expect(entry?.confidence.score).toBeLessThan(1);
    expect(entry?.confidence.reasons).toContain('liquidity: no_data on 8 of 91 days of all protocols');
  }
});
