import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Condition, ConditionReach } from '../../../schemas/conditions.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../platform/base/json.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const condition = (id: string, more: Partial<Condition> = {}): Condition => ({
  id,
  type: 'peg.depeg.start',
  severity: 'high',
  title: 'AAA on ethereum is off its peg',
  chain: 'ethereum',
  protocol: null,
  subject_id: 'peg:ethereum:AAA',
  subject_name: 'AAA / USD',
  symbols: ['AAA'],
  since: AS_OF,
  measure: 'deviation',
  unit: 'bps',
  value_start: -163,
  value_worst: -353,
  worst_at: AS_OF,
  value_now: -200,
  now_at: AS_OF,
  rule: [{ name: 'enter', value: 125, unit: 'bps', role: 'threshold' }],
  band_multiple: 1.6,
  reach: null,
  policy_version: '1.0.0',
  event_key: null,
  event_id: null,
  evidence_url: null,
  series_url: null,
  ...more,
});
const published = (...conditions: Condition[]) =>
  datasetOf(
    'conditions',
    conditions.map((value) => ({ key: value.id, value: value as unknown as Json })),
  );

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const get = async (query = '') => {
  const answer = await fetch(`${server.url}/v2/conditions${query}`);
  return {
    status: answer.status,
    ...((await answer.json()) as { data: Condition[]; meta: { total: number } }),
  };
};
const idsOf = async (query: string) => (await get(query)).data.map(({ id }) => id);

test('a caller without a key sees the worst conditions first, then the newest, then those without a time', async () => {
  await fixture.publish([
    ...fixtureDatasets(),
    published(
      condition('a', { severity: 'info' }),
      condition('b', { since: null }),
      condition('c', { since: '2026-02-01T00:00:00Z' }),
      condition('d'),
      condition('e', { severity: 'critical', since: '2025-01-01T00:00:00Z' }),
    ),
  ]);
  server = await fixture.serve({ anonymousPlan: null });
  const { data, meta } = await get();
  expect(data.map(({ id }) => id)).toEqual(['e', 'd', 'c', 'b', 'a']);
  expect(data[1]).toEqual(condition('d'));
  expect(meta).toMatchObject({ total: 5, _agentic: { freshness: { status: 'fresh' } } });
});

const reach = (usd: number | null, usd_unknown_share: number | null = 0): ConditionReach => ({
  ...{ markets: 1, markets_unknown: 0, vaults: 0, vaults_unknown: 0, yields: 0, yields_unknown: 0 },
  ...{ usd, usd_unknown_share, gaps: [], subjects: [] },
});

test('within a severity: what is mostly unknown, then by dollars, then by multiple of the band, then without a reach', async () => {
  await fixture.publish([
    ...fixtureDatasets(),
    published(
      condition('none'),
      condition('small', { reach: reach(10, 0.49) }),
      condition('large', { reach: reach(20), band_multiple: 1.5 }),
      condition('far', { reach: reach(20), band_multiple: 7 }),
      condition('zero', { reach: reach(0) }),
      condition('half', { reach: reach(5, 0.5) }),
      condition('unknown', { reach: reach(null, null) }),
      condition('worse', { severity: 'critical', reach: reach(1) }),
    ),
  ]);
  server = await fixture.serve({ anonymousPlan: null });
  expect(await idsOf('')).toEqual(['worse', 'half', 'unknown', 'far', 'large', 'small', 'zero', 'none']);
});

test('a condition of a version that did not state reach has none', async () => {
  const { reach: _, band_multiple: __, ...old } = condition('a');
  await fixture.publish([...fixtureDatasets(), published(old as Condition)]);
  server = await fixture.serve({ anonymousPlan: null });
  expect((await get()).data).toEqual([condition('a', { band_multiple: null })]);
});

test('filters match any of their names, in any case, and a condition without a protocol passes no protocol filter', async () => {
  await fixture.publish([
    ...fixtureDatasets(),
    published(
      condition('a', { severity: 'info', protocol: 'aave' }),
      condition('b', { chain: 'base', type: 'oracle.stale' }),
      condition('c', { chain: null }),
    ),
  ]);
  server = await fixture.serve({ anonymousPlan: null });
  expect(await idsOf('?severity=INFO,critical')).toEqual(['a']);
  expect(await idsOf('?chain=base,ethereum')).toEqual(['b', 'a']);
  expect(await idsOf('?type=oracle.stale&chain=base')).toEqual(['b']);
  expect(await idsOf('?protocol=Aave')).toEqual(['a']);
  expect(await get('?protocol=morpho')).toMatchObject({ status: 400 });
  expect(await idsOf('?type=lending.paused')).toEqual([]);
  expect(await get('?type=lending.pause')).toMatchObject({ status: 400 });
  expect(await get('?severity=')).toMatchObject({ status: 400 });
  expect(await get('?severity=info,,warn')).toMatchObject({
    status: 400,
    error: { code: 'validation_failed' },
  });
});

test('without conditions the list is empty, and without a published version it is unavailable', async () => {
  await fixture.publish([...fixtureDatasets(), published()]);
  server = await fixture.serve({ anonymousPlan: null });
  expect(await get()).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
  const other = await ServerFixture.create();
  await other.publish();
  server = await other.serve({ anonymousPlan: null });
  expect(await get()).toMatchObject({ status: 503, error: { code: 'unavailable' } });
  await other.remove();
});
