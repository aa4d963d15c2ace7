// Error bodies of the legacy family: details where the contract names them (parts 5 and 7, decision 59), and unchanged not-found bodies.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLANS, SCOPES } from '../../../schemas/plans.ts';
import type { Endpoint } from '../../../server/define/endpoint.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { ask, openPositions, type Places, requestOf } from './error-recipes.ts';

const LEGACY = ENDPOINTS.filter(({ path }) => /^\/(scores|data)(\/|$)/.test(path));

interface LegacyError {
  readonly status: false;
  readonly data: readonly never[];
  readonly message: string;
  readonly error: { readonly code: string; readonly details?: unknown; readonly request_id: string };
}

let positions: Places;
beforeAll(async () => {
  positions = await openPositions();
}, 60_000);
afterAll(async () => {
  await positions.fixture.remove();
  await positions.empty.remove();
  await positions.storelessFixture.remove();
});

async function errorOf(endpoint: Endpoint, key?: string, server = positions.normal) {
  const answer = await ask(server, requestOf(endpoint, { key }));
  const { status, data, message, error } = (await answer.json()) as LegacyError;
  expect([status, data, message]).toEqual([false, [], expect.any(String)]);
  return { http: answer.status, code: error.code, details: error.details, message };
}

test('there are legacy endpoints to walk', () => {
  expect(LEGACY.length).toBeGreaterThan(15);
});

test.each(LEGACY.map((endpoint) => [endpoint.path, endpoint] as const))(
  '%s names the missing scope of a key, and the exhausted limit',
  async (_, endpoint) => {
    const { access } = endpoint;
    if (access === 'open') throw new Error('legacy endpoints need a key (part 4)');
    const { fixture } = positions;
    const others = SCOPES.filter((scope) => scope !== access.scope);
    const unscoped = await fixture.key('enterprise', { scopes: others });
    const spent = await fixture.key('custom', { limits: { requests_per_minute: 0 } });
    const server = await fixture.serve({ anonymousPlan: null });
    expect(await errorOf(endpoint, unscoped, server)).toMatchObject({
      http: 403,
      code: 'insufficient_scope',
      details: { required_scope: access.scope },
    });
    expect(await errorOf(endpoint, spent, server)).toMatchObject({
      http: 429,
      code: 'rate_limit_exceeded',
      details: { limit: 0, window_seconds: 60 },
    });
    expect(await errorOf(endpoint)).toMatchObject({ http: 401, code: 'missing_auth' });
  },
);

test('a legacy endpoint that requires a plan names the sufficient plans', async () => {
  const [first] = LEGACY;
  if (first === undefined || first.access === 'open') throw new Error('no legacy endpoint');
  const gated = { ...first, access: { ...first.access, plan: 'team' } } as const;
  const { prepare: _, ...routed } = gated;
  const key = await positions.fixture.key('analyst');
  for (const endpoint of [gated, routed]) {
    const server = await positions.fixture.serve({ anonymousPlan: null, endpoints: [endpoint] });
    expect(await errorOf(endpoint, key, server)).toMatchObject({
      http: 402,
      code: 'plan_upgrade_required',
      details: {
        current_plan: 'analyst',
        required_plans: Object.keys(PLANS).slice(2),
        upgrade_url: 'https://docs.example/docs#plans',
      },
    });
  }
});

test('a not-found body has no details', async () => {
  for (const endpoint of LEGACY.filter(({ params }) => Object.keys(params.properties).length > 0)) {
    const answer = await ask(positions.normal, requestOf(endpoint, { key: positions.key }));
    const body = (await answer.json()) as LegacyError;
    expect([answer.status, Object.keys(body)]).toEqual([404, ['status', 'data', 'message', 'error']]);
    expect(Object.keys(body.error)).toEqual(['code', 'message', 'request_id']);
  }
});

test('every failure of GET /scores/development states that the data could not be retrieved (4.6)', async () => {
  const path = '/scores/development';
  const broken = await ask(positions.broken, { path, key: positions.key });
  const unpublished = await ask(positions.unpublished, { path });
  expect([broken.status, unpublished.status]).toEqual([500, 503]);
  for (const answer of [broken, unpublished])
    expect(await answer.json()).toMatchObject({
      status: false,
      data: [],
      message: expect.stringContaining('data could not be retrieved'),
      error: { message: expect.stringContaining('data could not be retrieved') },
    });
});
