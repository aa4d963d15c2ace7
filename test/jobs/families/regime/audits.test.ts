import { afterAll, expect, test } from 'vitest';
import { anomalies } from '../../../../jobs/families/anomalies/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { regime } from '../../../../jobs/families/regime/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';

const HOUR = 1_772_323_200;
const bench = await openAuditBench([sources, oracles, pools, anomalies, regime], {
  start: HOUR,
  end: HOUR + 1,
  now: HOUR,
});
afterAll(() => bench.close());

const SIGNALS = [
  'liquidations_share',
  'stablecoin_deviation_bps',
  'tvl_7d_change',
  'utilization',
  'volatility_z',
];
const hour = (back: number, ...missing: readonly string[]) => ({
  scope: 'global',
  hour: HOUR - back * 3_600,
  signals: SIGNALS.map((name) => `${name}:${missing.includes(name) ? 'missing' : 'neutral'}`),
  signals_known: 5 - missing.length,
});
const found = (...hours: readonly ReturnType<typeof hour>[]) => bench.found('out.regime_hour', hours);

test('a regime by all five signals is not doubted, whatever was missing before', async () => {
  expect(await found(hour(0), hour(1, 'utilization'))).toEqual([]);
  expect(await found()).toEqual([]);
});

test('the signals that are missing in the last hour are named, and weigh what they would have weighed', async () => {
  expect(await found(hour(1), hour(0, 'volatility_z', 'tvl_7d_change'))).toEqual([
    {
      reason: '3 of 5 signals were known in the last hour, missing: tvl_7d_change, volatility_z',
      weight: expect.closeTo(0.4, 12),
    },
  ]);
  expect(await found(hour(0, ...SIGNALS))).toMatchObject([{ weight: 1 }]);
});
