// Refused exit requests: refused by field name, in the order of the checks, and never with an unintended 5xx.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer, ServerDeps } from '../../../server/deps.ts';
import { marketInputs } from '../../support/analytics-inputs.ts';
import { dataOf, ID, inputs, jsonOf, MONTH_END_S, post } from '../analytics/exit-requests.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

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

test.each([
  ['NaN', '{"position_usd":NaN}', 'invalid_request', undefined],
  ['Infinity', '{"position_usd":1e999}', 'validation_failed', 'position_usd'],
  ['a negative amount', { position_usd: -1 }, 'validation_failed', 'position_usd'],
  ['1e300', { position_usd: 1e300 }, 'validation_failed', 'position_usd'],
  ['nothing', {}, 'validation_failed', 'position_usd'],
  ['a string', { position_usd: '5' }, 'validation_failed', 'position_usd'],
  ['horizon 721', { position_usd: 1e6, horizon_hours: 721 }, 'validation_failed', 'horizon_hours'],
  ['half an hour', { position_usd: 1e6, horizon_hours: 0.5 }, 'validation_failed', 'horizon_hours'],
  ['paths 99', { position_usd: 1e6, paths: 99 }, 'validation_failed', 'paths'],
  ['paths 20001', { position_usd: 1e6, paths: 20_001 }, 'validation_failed', 'paths'],
  ['a seed of 2^53', `{"position_usd":1000000,"seed":${2 ** 53}}`, 'validation_failed', 'seed'],
  [
    'five levels',
    { position_usd: 1e6, confidence: [0.5, 0.6, 0.7, 0.8, 0.9] },
    'validation_failed',
    'confidence',
  ],
  ['a level of 1', { position_usd: 1e6, confidence: [1] }, 'validation_failed', 'confidence/0'],
  ['a level twice', { position_usd: 1e6, confidence: [0.9, 0.9] }, 'validation_failed', 'confidence'],
  [
    'no slices',
    { position_usd: 1e6, strategy: { twap: {} } },
    'validation_failed',
    expect.stringMatching(/^strategy/),
  ],
  ['a word', { position_usd: 1e6, strategy: 'later' }, 'validation_failed', 'strategy'],
  ['no version', { position_usd: 1e6, snapshot_version: 'newest' }, 'validation_failed', 'snapshot_version'],
  ['101 %', { position_usd: 1e6, initial_utilization: 1.01 }, 'validation_failed', 'initial_utilization'],
  ['an unknown member', { position_usd: 1e6, position: 1 }, 'validation_failed', 'position'],
])('%s is refused by name', async (_, body, code, field) => {
  const { server, key } = await serve();
  const answer = await post(server, key, body);
  const { error } = await jsonOf(answer);
  expect([answer.status, error.code]).toEqual([400, code]);
  if (field !== undefined) expect(error.details.fields[0].field).toEqual(field);
});

test('a position of exactly the supply can be simulated, and a cent more cannot', async () => {
  const { server, key } = await serve();
  const all = await post(server, key, { position_usd: 10_000_000 });
  expect(all.status).toBe(200);
  const answer = await post(server, key, { position_usd: 10_000_000.01 });
  const { error } = await jsonOf(answer);
  expect([answer.status, error.code]).toEqual([400, 'validation_failed']);
  expect(error.message).toBe(`position_usd is more than exists: 10000000.00 USD are supplied to ${ID}.`);
  expect(answer.headers.get('x-quota-remaining')).toBe(all.headers.get('x-quota-remaining'));
});

test('the order of the checks is key, plan, scope, validation, existence, quota', async () => {
  const bad = { position_usd: -1 };
  const codeOf = async (answer: Response) => [answer.status, (await jsonOf(answer)).error.code];
  const spent = await fixture.key('team', { org: 'spent', limits: { monte_carlo_runs_per_month: 0 } });
  const analyst = await fixture.key('analyst', { scopes: [] });
  const scopeless = await fixture.key('team', { scopes: ['data:read'] });
  const nowhere = { id: 'ethereum:0xnone' };
  const { server, key } = await serve();
  expect(await codeOf(await post(server, 'x', bad))).toEqual([401, 'invalid_key']);
  expect(await codeOf(await post(server, analyst, bad))).toEqual([403, 'MC_TIER_REQUIRED']);
  expect(await codeOf(await post(server, scopeless, bad))).toEqual([403, 'insufficient_scope']);
  expect(await codeOf(await post(server, spent, bad, nowhere))).toEqual([400, 'validation_failed']);
  expect(await codeOf(await post(server, spent, { position_usd: 1 }, nowhere))).toEqual([404, 'not_found']);
  expect(await codeOf(await post(server, spent, { position_usd: 1 }))).toEqual([
    429,
    'MC_MONTHLY_QUOTA_EXCEEDED',
  ]);
  expect((await post(server, key, { position_usd: 1 })).status).toBe(200);
  const anonymous = await fixture.serve({ anonymousPlan: 'team' });
  const keyless = await fetch(`${anonymous.url}/v2/liquidity/x/exit-monte-carlo`, { method: 'POST' });
  expect(await codeOf(keyless)).toEqual([401, 'unauthenticated']);
});

test('a market or a vault that a failed check holds back is not said to be unknown', async () => {
  const held = (dataset: string) => ({
    ...{ dataset, subject: 'ethereum 0xheld', reason: 'a check failed' },
    ...{ checks: ['audit'], since: AS_OF },
  });
  await fixture.publish(
    [...inputs(), datasetOf('vaults', []), datasetOf('vault-holdings', [])],
    AS_OF,
    undefined,
    { held_subjects: { total: 2, list: [held('exit-inputs'), held('vaults')] } },
  );
  const key = await fixture.key('team');
  const server = await fixture.serve({ anonymousPlan: null });
  for (const id of ['ethereum:0xheld', 'vault:ethereum:0xheld']) {
    const answer = await post(server, key, { position_usd: 1 }, { id });
    expect([id, answer.status, (await jsonOf(answer)).error.details.reason]).toEqual([id, 503, 'held_back']);
    const other = await post(server, key, { position_usd: 1 }, { id: id.replace('held', 'none') });
    expect([id, other.status]).toEqual([id, 404]);
  }
});

test('plan and quota errors state what is required, and link to no documentation page', async () => {
  const small = await fixture.key('team', { org: 'small', limits: { monte_carlo_runs_per_month: 1 } });
  const freeKey = await fixture.key('free');
  const { server } = await serve();
  const free = await jsonOf(await post(server, freeKey, { position_usd: 1 }));
  expect(free.error).toEqual({
    code: 'MC_TIER_REQUIRED',
    message: expect.any(String),
    details: {
      current_plan: 'free',
      required_plans: ['team', 'enterprise', 'custom'],
      upgrade_url: expect.stringContaining('http'),
    },
    request_id: expect.any(String),
  });
  await dataOf(await post(server, small, { position_usd: 1, paths: 100 }));
  const answer = await post(server, small, { position_usd: 2, paths: 100 });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBe(MONTH_END_S - AS_OF_MS / 1_000);
  expect((await jsonOf(answer)).error).toEqual({
    code: 'MC_MONTHLY_QUOTA_EXCEEDED',
    message: expect.any(String),
    details: {
      limit: 1,
      used: 1,
      resets_at: '2026-04-01T00:00:00.000Z',
      upgrade_url: expect.stringContaining('http'),
    },
    request_id: expect.any(String),
  });
  await dataOf(await post(server, small, { position_usd: 1, paths: 100 }));
});

test.each([
  ['is not published', undefined],
  ['failed its quality gate', 'fail' as const],
])('inputs whose dataset %s are an unavailable dependency', async (words, verdict) => {
  const quality_gate = { verdict: 'fail' as const, checks: [], evaluated_at: AS_OF, policy_version: '1.0.0' };
  const failed = datasetOf('exit-inputs', [{ key: ID, value: marketInputs() }], AS_OF);
  await fixture.publish([
    ...fixtureDatasets(),
    ...(verdict === undefined ? [] : [{ ...failed, quality_gate }]),
  ]);
  const key = await fixture.key('team');
  const server = await fixture.serve({ anonymousPlan: null });
  const answer = await post(server, key, { position_usd: 1 });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
  expect((await jsonOf(answer)).error).toMatchObject({
    code: 'risk_dependency_unavailable',
    message: expect.stringContaining(words),
    details: { dependency: 'liquidity', dataset: 'exit-inputs' },
  });
});

test('an id of 10 KB, or of no market, is refused or not found', async () => {
  const { server, key } = await serve();
  const long = await post(server, key, { position_usd: 1 }, { id: 'x'.repeat(10_000) });
  expect(long.status).toBeGreaterThanOrEqual(400);
  expect(long.status).toBeLessThan(500);
  for (const id of ['x', '__proto__', 'ethereum:0xM1', 'ethereum:0xm1/../..'])
    expect((await post(server, key, { position_usd: 1 }, { id })).status).toBe(404);
});

test('an exit from a vault needs published vaults', async () => {
  const { server, key } = await serve();
  const response = await post(server, key, { position_usd: 1 }, { id: 'vault:ethereum:0xv' });
  expect([response.status, (await jsonOf(response)).error.code]).toEqual([
    503,
    'risk_dependency_unavailable',
  ]);
});
