// What a path and its query may contain, for every endpoint: unknown and repeated names are refused (decision 58), a missing path value is
// malformed (7.2), and a different spelling of the same value is the same query.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS } from '../../../schemas/errors.ts';
import { PLANS } from '../../../schemas/plans.ts';
import type { Endpoint } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { inputReader } from '../../../server/http/validate.ts';
import { getVault } from '../../../server/routes/vaults.ts';
import { preparedPaths } from '../../support/prepared-paths.ts';
import { coverageRow, datasetOf, eventCandidate, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { refusalOf } from '../stream/stream-client.ts';
import { ask, requestOf } from './error-recipes.ts';

const MIXED = '0xAbCdEf0000000000000000000000000000000001';
const LOWER = MIXED.toLowerCase();

let fixture: ServerFixture;
let server: RunningServer;
/** Its responses are not checked against the API document, which cannot describe a path without a value. */
let unchecked: RunningServer;
let key: string;
let poor: string;
let ids: readonly string[];
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const coverage = [coverageRow(LOWER, 50), ...[1, 2, 3].map((n) => coverageRow(`0xa${n}`, 60 + n))];
  const events = [0, 1, 2, 3].map((n) => eventCandidate(n));
  const envelopes = await fixture.append(
    events.map(({ key: natural, envelope }, n) => ({
      key: natural,
      envelope: n === 3 ? { ...envelope, subject_id: `oracle:ethereum:${LOWER}:m` } : envelope,
    })),
  );
  ids = envelopes.map((text) => (JSON.parse(text) as { event_id: string }).event_id);
  await fixture.publish([
    ...fixtureDatasets(undefined, coverage),
    datasetOf('corrections', []),
    datasetOf('yield-opportunities', []),
  ]);
  key = await fixture.key('enterprise');
  poor = await fixture.key('free');
  server = await fixture.serve({ anonymousPlan: null });
  unchecked = await fixture.serve({ anonymousPlan: null, endpoints: ENDPOINTS });
});
afterAll(() => fixture.remove());

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly [name: string]: unknown };
}
/** Replay has flat errors. */
type ErrorBody = { readonly error: ErrorFacts } | (Omit<ErrorFacts, 'code'> & { readonly error: string });

const isFlat = (body: ErrorBody): body is Exclude<ErrorBody, { readonly error: ErrorFacts }> =>
  typeof body.error === 'string';

const factsOf = (body: ErrorBody): ErrorFacts => (isFlat(body) ? { ...body, code: body.error } : body.error);

const refused = async (endpoint: Endpoint, query: string) => {
  const request = requestOf(endpoint, { key });
  const answer = await ask(server, { ...request, path: `${request.path}?${query}` });
  const body = (await answer.json()) as ErrorBody;
  const { code, details, message } = factsOf(body);
  return { status: answer.status, code, details, message };
};
const json = async (path: string) =>
  (await (await ask(server, { path, key })).json()) as {
    data: readonly unknown[];
    events: readonly { event_id: string }[];
    meta: { total: number; cursor: string | null };
    error: unknown;
  };

const all = ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

describe.each(all)('%s', (_, endpoint) => {
  const names = Object.keys(endpoint.query.properties);

  test('refuses an unknown parameter by name', async () => {
    for (const name of ['bogus', 'filter[bogus]', 'token', ''])
      expect([name, await refused(endpoint, `${encodeURIComponent(name)}=1`)]).toMatchObject([
        name,
        { status: 400, code: 'validation_failed', details: { parameter: name, known_parameters: names } },
      ]);
  });

  test('suggests the nearest of its own names', async () => {
    for (const name of names.filter((one) => one.length > 3))
      expect(await refused(endpoint, `${encodeURIComponent(name.slice(0, -1))}=1`)).toMatchObject({
        status: 400,
        code: 'validation_failed',
        details: { parameter: name.slice(0, -1), suggestion: name },
        message: expect.stringContaining(`did you mean ${name}?`),
      });
  });

  test('refuses a repeated parameter, even with the same value', async () => {
    for (const name of names)
      expect(
        await refused(endpoint, `${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=1`),
      ).toMatchObject({ status: 400, code: 'validation_failed', details: { parameter: name } });
  });
});

test('a prepared path refuses any query except an empty one', async () => {
  const paths = await preparedPaths(fixture.dir);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    expect([path, (await ask(server, { path: `${path}?x=1`, key })).status]).toEqual([path, 400]);
    expect([path, (await ask(server, { path: `${path}?`, key })).status]).toEqual([path, 200]);
  }
});

test('a long name is refused without being compared', async () => {
  const started = performance.now();
  const { status, details } = await refused(
    ENDPOINTS.find(({ path }) => path === '/v2/yield/opportunities') as Endpoint,
    `${'f'.repeat(3_900)}=1`,
  );
  expect([status, details?.['suggestion']]).toEqual([400, undefined]);
  expect(String(details?.['parameter']).length).toBeLessThan(70);
  expect(performance.now() - started).toBeLessThan(500);
});

test('the stream refuses unknown parameters before it opens', async () => {
  for (const [query, parameter] of [
    ['typ=oracle.stale', 'typ'],
    ['limit=1', 'limit'],
    ['chain=a&chain=a', 'chain'],
  ] as const) {
    const { status, body } = await refusalOf(server.url, { key, query });
    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'validation_failed', details: { parameter } } },
    ]);
  }
});

const withValues = ENDPOINTS.filter(({ params }) => Object.keys(params.properties).length > 0);

test.each(withValues.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s names the missing value of its path, after checking the caller',
  async (_, endpoint) => {
    const names = Object.keys(endpoint.params.properties);
    for (const lacking of names) {
      const path = endpoint.path.replace(/:([a-z][a-z0-9_]*)/g, (__, name) => (name === lacking ? '' : 'x'));
      const request = { ...requestOf(endpoint), path };
      const answer = await ask(server, { ...request, key });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(await answer.json()).toMatchObject({
        error: { code: 'invalid_request', message: expect.stringContaining('lacks a value') },
      });
      if (endpoint.access === 'open') continue;
      expect([path, (await ask(server, request)).status]).toEqual([path, 401]);
      if (PLANS[endpoint.access.plan].rank === 0) continue;
      const refused = ERRORS[endpoint.access.denial ?? 'plan_upgrade_required'].http;
      expect([path, (await ask(unchecked, { ...request, key: poor })).status]).toEqual([path, refused]);
    }
  },
);

test.each(['/v2/data-manifest/', '/v1/health/', '//', '/v2//data-manifest', '/scores//x/y', '/nothing/'])(
  '%s has no missing value: it does not exist',
  async (path) => {
    expect((await ask(server, { path, key })).status).toBe(404);
  },
);

test('an id in lower case is the same cursor', async () => {
  const [first = '', second = ''] = ids;
  const { events } = await json(`/v2/events/replay?since_event_id=${first.toLowerCase()}`);
  expect(events.map(({ event_id }) => event_id)).toEqual(ids.slice(1));
  expect(await json(`/v2/events/replay?since_event_id=${first}l`)).toMatchObject({ error: 'INVALID_CURSOR' });
  expect(second > first).toBe(true);
});

test('a version in lower case is that version', async () => {
  const version = (await (await ask(server, { path: '/v1/version' })).json()) as { snapshot_version: string };
  const path = `/v2/datasets?version=${version.snapshot_version.toLowerCase()}`;
  expect((await ask(server, { path })).status).toBe(200);
});

test('an explicit default on the next page is the same query', async () => {
  const path = '/v2/data-manifest/coverage?limit=2';
  for (const [one, other] of [
    ['', '&min_completeness_pct=0'],
    ['&min_completeness_pct=0', ''],
    ['&min_completeness_pct=-0', '&min_completeness_pct=-5'],
    [`&scope_id=${MIXED}`, `&scope_id=${LOWER}`],
  ]) {
    const { meta } = await json(path + one);
    if (meta.cursor === null) continue;
    expect(await json(`${path}${other}&cursor=${meta.cursor}`)).toMatchObject({ error: null });
    const changed = await json(`${path}&min_completeness_pct=1&cursor=${meta.cursor}`);
    expect(changed).toMatchObject({ error: { details: { parameter: 'cursor' } } });
  }
});

test('a checksummed address is the same address', async () => {
  const covered = await json(`/v2/data-manifest/coverage?scope_id=${MIXED}`);
  expect([covered.meta.total, covered.data]).toMatchObject([1, [{ scope_id: LOWER }]]);
  const subject = encodeURIComponent(`oracle:ethereum:${MIXED}:m`);
  expect((await json(`/v2/events/replay?subject_id=${subject}`)).events).toHaveLength(1);
});

test.each([
  [MIXED, LOWER],
  [MIXED.replace('0x', '0X'), LOWER],
  [`0x${'Ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  // No address: a symbol that begins like one.
  ['0xBTC', '0xBTC'],
])('in a path, %s is %s', (given, read) => {
  expect(inputReader(getVault).params({ chain: 'ethereum', address: given })).toMatchObject({
    address: read,
  });
});
