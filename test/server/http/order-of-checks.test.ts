// Of several things wrong with a request, the first in this order is reported, on every endpoint: authentication, plan, scope, validation,
// existence, quota (decision 69). The limit of requests per minute precedes them all, because it protects the checks themselves.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../schemas/errors.ts';
import { PLANS, type PlanName, SCOPES } from '../../../schemas/plans.ts';
import type { AccessRule } from '../../../server/define/caller.ts';
import type { Endpoint } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { refusalOf } from '../stream/stream-client.ts';
import { ask, type Request, requestOf } from './error-recipes.ts';

let fixture: ServerFixture;
let server: RunningServer;
let anonymous: RunningServer;
let good: string;
const unscoped = new Map<string, string>();
const poor = new Map<string, string>();

const lower = (plan: PlanName): PlanName | undefined =>
  (Object.keys(PLANS) as PlanName[]).filter((name) => PLANS[name].rank < PLANS[plan].rank).at(-1);
const rules = ENDPOINTS.flatMap(({ access }) => (access === 'open' ? [] : [access]));

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(everyDataset(fixtureDatasets()));
  good = await fixture.key('enterprise');
  for (const scope of new Set(rules.map((rule) => rule.scope))) {
    const scopes = SCOPES.filter((one) => one !== scope);
    unscoped.set(scope, await fixture.key('enterprise', { scopes }));
    for (const plan of Object.keys(PLANS) as PlanName[])
      poor.set(`${plan} ${scope}`, await fixture.key(plan, { scopes }));
  }
  server = await fixture.serve({ anonymousPlan: null, endpoints: ENDPOINTS });
  anonymous = await fixture.serve({ plan: 'custom', endpoints: ENDPOINTS });
});
afterAll(() => fixture.remove());

async function codeOf(request: Request, at = server): Promise<string> {
  const answer = await ask(at, request);
  const { error } = (await answer.json()) as { error: string | { code: string } };
  const code = typeof error === 'string' ? error : error.code;
  expect(answer.status).toBe(ERRORS[code as ErrorCode].http);
  return code;
}

/** Requests to the endpoint that are wrong in one more way than naming something that does not exist. */
function wrongOnes(endpoint: Endpoint): readonly (readonly [string, Request])[] {
  const request = requestOf(endpoint);
  const empty = endpoint.path.replace(/:[a-z][a-z0-9_]*/, '');
  return [
    ['validation_failed', { ...request, path: `${request.path}?bogus=1` }],
    ['invalid_request', { path: request.path, method: 'PUT' }],
    ...(empty === endpoint.path || empty.includes(':')
      ? []
      : [['invalid_request', { ...request, path: empty }] as const]),
    ...(endpoint.body === undefined
      ? []
      : [['validation_failed', { ...request, body: { bogus: 1 } }] as const]),
  ];
}

async function expectCallerFirst(endpoint: Endpoint, rule: AccessRule): Promise<void> {
  const requests = [requestOf(endpoint), ...wrongOnes(endpoint).map(([, request]) => request)];
  const below = lower(rule.plan);
  // For an unsupported method, a path responds as its first endpoint.
  const first = ENDPOINTS.find(({ path }) => path === endpoint.path)?.access as AccessRule;
  for (const request of requests) {
    const { scope } = request.method === 'PUT' ? first : rule;
    expect(await codeOf(request)).toBe('missing_auth');
    expect(await codeOf({ ...request, key: 'rk_live_no' })).toBe('invalid_key');
    if (below !== undefined) {
      const key = poor.get(`${below} ${scope}`);
      expect(await codeOf({ ...request, key })).toBe(rule.denial ?? 'plan_upgrade_required');
    }
    expect(await codeOf({ ...request, key: unscoped.get(scope) })).toBe('insufficient_scope');
  }
}

/** Endpoints with their own code for something that does not exist. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  '/v2/simulator/scenarios/:id': 'SIMULATOR_SCENARIO_NOT_FOUND',
};

const all = ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

describe.each(all)('%s', (_, endpoint) => {
  const rule: AccessRule | undefined = endpoint.access === 'open' ? undefined : endpoint.access;

  test('checks the caller before the request', async () => {
    if (rule !== undefined) await expectCallerFirst(endpoint, rule);
  });

  test('refuses a bad key before anything else, even if no key is required', async () => {
    for (const [, request] of wrongOnes(endpoint))
      expect(await codeOf({ ...request, key: 'rk_live_no' })).toBe('invalid_key');
  });

  test('checks the contents of the request before the existence of what it names', async () => {
    for (const [code, request] of wrongOnes(endpoint))
      expect([code, request.path, await codeOf({ ...request, key: good })]).toEqual([
        code,
        request.path,
        code,
      ]);
    if (Object.keys(endpoint.params.properties).length > 0)
      expect(await codeOf(requestOf(endpoint, { key: good }))).toBe(NOT_FOUND[endpoint.path] ?? 'not_found');
  });

  test('requires a key for resources of an organisation before it reads the request', async () => {
    if (rule === undefined || !/^(webhooks|usage):/.test(rule.scope)) return;
    for (const [, request] of wrongOnes(endpoint))
      expect(await codeOf(request, anonymous)).toBe('unauthenticated');
  });
});

test('an unknown correction with a bad cursor is reported as a bad cursor', async () => {
  expect(await codeOf({ path: '/v2/corrections?dataset=no&cursor=no', key: good })).toBe('validation_failed');
});

test('an unknown webhook with a forbidden URL is reported as a bad URL', async () => {
  const path = '/v2/webhooks/wh_01HZX3K9Q4T2V7B8N6M5P1R0SD';
  const change = { path, method: 'PATCH', key: good };
  expect(await codeOf({ ...change, body: { url: 'https://10.0.0.1/' } })).toBe('validation_failed');
  expect(await codeOf({ ...change, body: { description: 'x' } })).toBe('not_found');
});

test('an excess webhook with a forbidden URL is first reported as a bad URL, then as an excess one', async () => {
  const key = await fixture.key('custom', { limits: { webhook_subscriptions: 0 } });
  const create = { path: '/v2/webhooks', method: 'POST', key };
  const fresh = await fixture.serve({ anonymousPlan: null });
  const events = ['peg.depeg.start'];
  expect(await codeOf({ ...create, body: { url: 'https://10.0.0.1/', events } }, fresh)).toBe(
    'validation_failed',
  );
  expect(await codeOf({ ...create, body: { url: 'https://203.0.114.10/', events } }, fresh)).toBe('conflict');
});

test('the stream checks key, plan and scope before its parameters', async () => {
  const free = poor.get('free manifest:read');
  const deaf = await fixture.key('enterprise', { scopes: ['data:read'] });
  const fresh = await fixture.serve({ anonymousPlan: null });
  for (const [key, code] of [
    [undefined, 'missing_auth'],
    [free, 'plan_upgrade_required'],
    [deaf, 'insufficient_scope'],
    [good, 'validation_failed'],
  ] as const) {
    const { body } = await refusalOf(fresh.url, { key, query: 'bogus=1' });
    expect(body).toMatchObject({ error: { code } });
  }
});
