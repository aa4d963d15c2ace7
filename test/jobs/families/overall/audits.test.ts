import { afterAll, expect, test } from 'vitest';
import { development } from '../../../../jobs/families/development/domain.ts';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { overall } from '../../../../jobs/families/overall/domain.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';

const DAY_S = 86_400;
const TODAY = 1_772_323_200;
const window = { start: TODAY, end: TODAY + DAY_S, now: TODAY + DAY_S - 1 };
const bench = await openAuditBench([sources, development, governance, social, overall], window);
afterAll(() => bench.close());

const component = (back: number, more: { readonly gap?: string; readonly oldest_back?: number } = {}) => ({
  component: 'liquidity',
  protocol: 'a',
  day: TODAY - back * DAY_S,
  weight_bps: 2_500,
  score: more.gap === undefined ? 0.5 : null,
  gap: more.gap ?? null,
  oldest_day: more.oldest_back === undefined ? null : TODAY - (back + more.oldest_back) * DAY_S,
});
const found = (...rows: readonly ReturnType<typeof component>[]) =>
  bench.found('derived.overall_component', rows);

test('components of the week with figures of the day or the day before are not doubted, nor older weeks', async () => {
  expect(await found(component(0, { oldest_back: 0 }), component(1, { oldest_back: 1 }))).toEqual([]);
  expect(await found(component(7, { gap: 'no_data' }), component(8, { oldest_back: 9 }))).toEqual([]);
});

test('missing ones cost their share of the weight, old figures are reported and cost nothing', async () => {
  expect(await found(component(0, { gap: 'no_data' }), component(1, { oldest_back: 2 }))).toEqual([
    { reason: 'liquidity: figures of two days before and older on 1 of 2 days of all protocols', weight: 0 },
    { reason: 'liquidity: no_data on 1 of 2 days of all protocols', weight: 0.125 },
  ]);
});

const pool = (pool_id: string, is_more_than_free: boolean, observed_at = TODAY) => ({
  protocol: 'a',
  pool_id,
  observed_at,
  day: TODAY,
  tvl_usd: 10_607,
  depth_usd: 934,
  is_more_than_free,
  utilization: null,
  source_id: 's',
  fetched_at: TODAY,
});

test('pools that last reported more than is free are named; the figure that counts is what is free', async () => {
  const poolsFound = (...rows: readonly ReturnType<typeof pool>[]) => bench.found('obs.overall_pool', rows);
  expect(await poolsFound(pool('p', true), pool('p', false, TODAY + 1))).toEqual([]);
  expect(await poolsFound(pool('p', true), pool('q', true), pool('r', false))).toEqual([
    {
      protocol: 'a',
      reason:
        'a: the exit depth of 2 pools was reported as more than is supplied and not borrowed, which was used instead: p',
      weight: 0,
    },
  ]);
});
