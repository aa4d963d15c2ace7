// Exit Monte Carlo over HTTP: figures, gaps, quota and bytes.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer, ServerDeps } from '../../../server/deps.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { INPUT_HOUR_S, marketInputs, returnInputs } from '../../support/analytics-inputs.ts';
import {
  dataOf,
  gapsOf,
  ID,
  inputs,
  jsonOf,
  MONTH_END_S,
  POSITION,
  post,
} from '../analytics/exit-requests.ts';
import { AS_OF, AS_OF_MS, datasetOf, isoSeconds, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function serve(more: Partial<ServerDeps> = {}): Promise<{ server: RunningServer; key: string }> {
  await fixture.publish(inputs());
  const key = await fixture.key('team');
  return { server: await fixture.serve({ anonymousPlan: null, ...more }), key };
}

test('the default request has every figure, and the attribution adds up to the cent', async () => {
  const { server, key } = await serve();
  const answer = await post(server, key, { position_usd: POSITION });
  const data = await dataOf(answer);
  expect(data.request).toEqual({
    position_usd: POSITION,
    horizon_hours: 24,
    paths: 5_000,
    max_slippage_bps: 100,
    confidence: [0.95, 0.99],
    strategy: 'immediate',
    initial_utilization: null,
  });
  expect(data.exit_probability.value).toBeGreaterThan(0);
  expect(data.exit_probability.value).toBeLessThan(1);
  expect(data.exit_probability_by_hour).toHaveLength(25);
  expect(data.exit_probability_by_hour.at(-1).value).toBe(data.exit_probability.value);
  expect(data.exit_probability.value + data.time_to_exit_hours.censored_share).toBeCloseTo(1, 6);
  const { price_usd, slippage_usd, stranded_usd } = data.attribution;
  const cents = (value: number) => Math.round(value * 100);
  expect(cents(price_usd) + cents(slippage_usd) + cents(stranded_usd) + cents(data.proceeds_usd.mean)).toBe(
    cents(POSITION),
  );
  expect(data.histogram.reduce((sum: number, { paths }: { paths: number }) => sum + paths, 0)).toBe(5_000);
  expect(data.inputs).toMatchObject({ hours_known: 1_000, feeds: ['ethereum:0xf1'] });
  expect(gapsOf(data)).toEqual(['curve_implied', 'not_calibrated']);
  expect(data.assumed).toEqual([]);
  expect([...answer.headers].filter(([name]) => name.startsWith('x-quota'))).toEqual([
    ['x-quota-limit', '200'],
    ['x-quota-remaining', '199'],
    ['x-quota-reset', String(MONTH_END_S)],
  ]);
});

test('equal requests have equal bytes and are one run, whatever the number of workers', async () => {
  const { server, key } = await serve();
  const body = { position_usd: 2_000_000, paths: 1_100, seed: 7 };
  const first = await (await post(server, key, body)).text();
  const again = await post(server, key, { ...body, horizon_hours: 24 });
  expect(await again.text()).toBe(first);
  expect(again.headers.get('x-quota-remaining')).toBe('199');
  for (const workers of [2, 4]) {
    const other = await fixture.serve({ anonymousPlan: null, analytics: { workers } });
    expect(await (await post(other, key, body)).text()).toBe(first);
  }
  const usage = await fetch(`${server.url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
  const { month } = (await jsonOf(usage)).data;
  expect(month).toMatchObject({ monte_carlo_runs: { used: 1, limit: 200 }, simulator_runs: { used: 0 } });
});

test('a different seed, market or size is a different run', async () => {
  const { server, key } = await serve();
  const bodies = [{ seed: 1 }, { seed: 2 }, { paths: 200 }, { max_slippage_bps: 50 }, { seed: 2 ** 53 - 1 }];
  for (const body of bodies)
    await dataOf(await post(server, key, { position_usd: 1e6, paths: 100, ...body }));
  const last = await post(server, key, { position_usd: 1e6, paths: 100 }, { id: 'ethereum:0xthin' });
  expect(last.headers.get('x-quota-remaining')).toBe('194');
});

test('repeating a run with its reported seed gives the same figures', async () => {
  const { server, key } = await serve();
  const body = { position_usd: 2_500_000, paths: 300 };
  const { seed, ...first } = await dataOf(await post(server, key, body));
  const { seed: named, ...again } = await dataOf(await post(server, key, { ...body, seed }));
  expect([named, again]).toEqual([seed, first]);
});

test('an older kept version can be named; a version that is not kept is not found', async () => {
  const { server, key } = await serve();
  const body = { position_usd: 2_000_000, paths: 100, seed: 5 };
  const { snapshot, proceeds_usd } = await dataOf(await post(server, key, body));
  const later = isoSeconds(AS_OF_MS + 3_600_000);
  await fixture.publish(inputs(returnInputs(800), later), later);
  await server.refresh();
  const changed = await dataOf(await post(server, key, body));
  expect(changed.snapshot.version).not.toBe(snapshot.version);
  const named = await post(server, key, { ...body, snapshot_version: snapshot.version });
  expect((await dataOf(named)).proceeds_usd).toEqual(proceeds_usd);
  expect(named.headers.get('x-quota-remaining')).toBe('198');
  const absent = await post(server, key, { ...body, snapshot_version: '01ARZ3NDEKTSV4RRFFQ69G5FAV' });
  expect([absent.status, (await jsonOf(absent)).error.code]).toEqual([404, 'not_found']);
});

test('a market with two hours of history has nulls and a named gap, and the run is free', async () => {
  const { server, key } = await serve();
  const answer = await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xshort' });
  const data = await dataOf(answer);
  expect(data.gaps[0]).toMatchObject({ gap: 'history_short', have_hours: 2, need_hours: 336 });
  expect([data.exit_probability, data.histogram, data.proceeds_usd.mean]).toEqual([null, null, null]);
  expect(data.confidence).toEqual([0.95, 0.99].map((level) => ({ level, var_usd: null, cvar_usd: null })));
  expect(answer.headers.get('x-quota-remaining')).toBe('200');
});

test('a history below 720 hours has no 1 % figures', async () => {
  const { server, key } = await serve();
  const data = await dataOf(await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xthin' }));
  expect(data.gaps).toContainEqual(
    expect.objectContaining({ gap: 'history_short', have_hours: 500, need_hours: 720 }),
  );
  expect([data.slippage_bps.p99, data.proceeds_usd.p01]).toEqual([null, null]);
  expect(data.confidence[0].var_usd).not.toBeNull();
  expect(data.confidence[1]).toEqual({ level: 0.99, var_usd: null, cvar_usd: null });
});

test('without a price there is a probability but no future amount', async () => {
  const { server, key } = await serve();
  const data = await dataOf(await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xunpriced' }));
  expect(gapsOf(data)).toContain('price_unknown');
  expect(data.exit_probability.value).toBeGreaterThan(0);
  expect([data.proceeds_usd.mean, data.stranded_usd.mean, data.histogram]).toEqual([null, null, null]);
  expect(data.attribution).toEqual({ price_usd: null, slippage_usd: null, stranded_usd: null });
});

test('without a depth nothing is known of a sale, and the run is free', async () => {
  const { server, key } = await serve();
  const answer = await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xunsold' });
  const data = await dataOf(answer);
  expect(gapsOf(data)).toContain('depth_unknown');
  expect([data.exit_probability, data.time_to_exit_hours.p50, data.depth_usd]).toEqual([null, null, null]);
  expect(data.confidence).toEqual([0.95, 0.99].map((level) => ({ level, var_usd: null, cvar_usd: null })));
  expect(answer.headers.get('x-quota-remaining')).toBe('200');
});

test('a market with an unknown state has a gap', async () => {
  const { server, key } = await serve();
  const data = await dataOf(await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xblind' }));
  expect(gapsOf(data)).toContain('state_unknown');
  expect(data.exit_probability).toBeNull();
});

test('nothing leaves a market that was always fully used; an assumed utilisation is marked', async () => {
  const { server, key } = await serve();
  const full = await dataOf(await post(server, key, { position_usd: 1e6 }, { id: 'ethereum:0xfull' }));
  expect(full.exit_probability).toMatchObject({ value: 0, ci95: { from: 0 } });
  expect(full.exit_probability.ci95.to).toBeGreaterThan(0);
  expect(full.time_to_exit_hours).toMatchObject({ p50: null, p95: null, censored_share: 1 });
  expect(full.proceeds_usd.mean).toBe(0);
  const body = { position_usd: 1e6, initial_utilization: 0.5 };
  const freed = await dataOf(await post(server, key, body, { id: 'ethereum:0xfull' }));
  expect(freed.assumed).toEqual(['initial_utilization']);
  expect(freed.withdrawable_usd).toBe(5_000_000);
  expect(gapsOf(freed)).toContain('bucket_thin');
});

test('the verdict of the backtest over the next longer horizon decides whether the model counts as calibrated', async () => {
  const row = (horizon_hours: number, size: number | null, calibration: string) => ({
    horizon_hours,
    size,
    calibration,
    calibration_blocks: 13,
  });
  const value = [row(24, null, 'pass'), row(24, 0.2, 'fail'), row(168, null, 'fail')];
  await fixture.publish([...inputs(), datasetOf('exit-backtests', [{ key: ID, value }], AS_OF)]);
  const key = await fixture.key('team');
  const server = await fixture.serve({ anonymousPlan: null });
  const said = async (horizon_hours: number) => {
    const data = await dataOf(await post(server, key, { position_usd: 1e6, paths: 100, horizon_hours }));
    const warnings = data.warnings.map(({ warning }: { warning: string }) => warning);
    return [gapsOf(data).includes('not_calibrated'), warnings.includes('calibration_failed')];
  };
  expect(await said(1)).toEqual([false, false]);
  expect(await said(24)).toEqual([false, false]);
  expect(await said(25)).toEqual([true, true]);
  expect(await said(168)).toEqual([true, true]);
  expect(await said(169)).toEqual([true, false]);
});

test('the hash of the inputs can be recomputed from published data', async () => {
  const { server, key } = await serve();
  const { inputs_hash } = await dataOf(await post(server, key, { position_usd: 1e6, paths: 100 }));
  const documents = {
    'exit-inputs': sha256Hex(canonicalJson(marketInputs())),
    'return-inputs': sha256Hex(canonicalJson(returnInputs())),
    'exit-backtests': null,
    'pool-states': {},
  };
  expect(inputs_hash).toBe(sha256Hex(canonicalJson(documents)));
});

test('hours that only one of the inputs has are left out', async () => {
  const shifted = returnInputs(900);
  const hour = shifted.hours.hour.map((each) => each - 100 * INPUT_HOUR_S);
  await fixture.publish(inputs({ ...shifted, hours: { ...shifted.hours, hour } }));
  const key = await fixture.key('team');
  const server = await fixture.serve({ anonymousPlan: null });
  const data = await dataOf(await post(server, key, { position_usd: 1e6, paths: 100 }));
  expect(data.inputs.hours_known).toBe(900);
});

test('a repeat with an idempotency key is the stored response; with another body it is a conflict', async () => {
  const { server, key } = await serve();
  const headers = { 'X-Idempotency-Key': 'run-1' };
  const first = await post(server, key, { position_usd: 1e6, paths: 100 }, { headers });
  const again = await post(server, key, { position_usd: 1e6, paths: 100 }, { headers });
  expect(await again.text()).toBe(await first.text());
  expect(again.headers.get('x-idempotency-replayed')).toBe('true');
  expect((await post(server, key, { position_usd: 2e6, paths: 100 }, { headers })).status).toBe(409);
});
