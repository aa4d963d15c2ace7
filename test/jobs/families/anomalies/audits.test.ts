import { afterAll, expect, test } from 'vitest';
import { anomalies } from '../../../../jobs/families/anomalies/domain.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';

const NOW = 1_772_323_200;
const bench = await openAuditBench([anomalies], { start: NOW, end: NOW + 1, now: NOW });
afterAll(() => bench.close());

const found = (...gaps: readonly (string | null)[]) =>
  bench.found(
    'out.anomaly_watch',
    gaps.map((gap, index) => ({ metric: 'tvl', entity: `e|p${index}|`, gap })),
  );

test('figures that all have a verdict are not doubted, nor is nothing', async () => {
  expect(await found(null, null)).toEqual([]);
  expect(await found()).toEqual([]);
});

test('figures without a verdict are counted by the reason, as a share of all that are watched', async () => {
  expect(await found(null, 'too_few_days', 'no_reading', 'too_few_days')).toEqual([
    { reason: '1 of 4 figures have no verdict: no_reading', weight: 0.25 },
    { reason: '2 of 4 figures have no verdict: too_few_days', weight: 0.5 },
  ]);
  expect(await found('no_spread')).toEqual([
    { reason: '1 of 1 figures have no verdict: no_spread', weight: 1 },
  ]);
});
