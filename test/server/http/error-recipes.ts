// How each error is produced for real, for any endpoint: servers in the required states, and the requests that meet the error there.
import { randomBytes } from 'node:crypto';
import { oncePer } from '../../../platform/base/once-per.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import { SCOPES, type Scope } from '../../../schemas/plans.ts';
import { accessErrors } from '../../../server/access/authorize.ts';
import { makeKey } from '../../../server/access/keys.ts';
import { type Endpoint, pathOf } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import type { Services } from '../../../server/services.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { ID, inputs } from '../analytics/exit-requests.ts';
import { AS_OF, AS_OF_MS, DAY_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

/** Servers in every state that an error requires. */
export interface Places {
  readonly fixture: ServerFixture;
  readonly empty: ServerFixture;
  readonly storelessFixture: ServerFixture;
  readonly normal: RunningServer;
  /** Gives callers without a key a plan. */
  readonly opened: RunningServer;
  readonly unpublished: RunningServer;
  readonly storeless: RunningServer;
  readonly broken: RunningServer;
  /** A server on which keys have been guessed. */
  readonly guessed: RunningServer;
  readonly key: string;
  readonly storelessKey: string;
  /** Key for the server that has published nothing. */
  readonly unpublishedKey: string;
}

export async function openPositions(): Promise<Places> {
  const fixture = await ServerFixture.create();
  await fixture.publish(everyDataset(fixtureDatasets()));
  const [empty, storelessFixture] = [await ServerFixture.create(), await ServerFixture.create()];
  await storelessFixture.publish();
  const key = await fixture.key('enterprise');
  const storelessKey = await storelessFixture.key('enterprise');
  const closed = { anonymousPlan: null } as const;
  const unpublishedKey = await empty.key('enterprise');
  const storeless = await storelessFixture.serve(closed);
  await (await storelessFixture.store()).close();
  const guessed = await fixture.serve({ anonymousPlan: 'custom', steadyMs: () => 0 });
  for (let i = 0; i < 10; i++) await ask(guessed, { path: '/v1/health', key: makeKey(randomBytes) });
  return {
    fixture,
    empty,
    storelessFixture,
    normal: await fixture.serve(closed),
    opened: await fixture.serve({ anonymousPlan: 'custom' }),
    unpublished: await empty.serve({ anonymousPlan: 'custom' }),
    storeless,
    broken: await fixture.serve({ ...closed, endpoints: ENDPOINTS.map(broken) }),
    guessed,
    key,
    storelessKey,
    unpublishedKey,
  };
}

const broken = (endpoint: Endpoint): Endpoint => {
  const { prepare: _, ...rest } = endpoint;
  return {
    ...rest,
    handle() {
      throw new Error('a mistake');
    },
  };
};

export interface Request {
  readonly path: string;
  readonly method?: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export function ask(server: RunningServer, { path, method = 'GET', key, body, headers }: Request) {
  return fetch(server.url + path, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const NOWHERE = 'nothing-here';

/** A request to the endpoint whose names do not exist. */
export function requestOf(endpoint: Endpoint, more: Partial<Request> = {}): Request {
  const names = Object.keys(endpoint.params.properties);
  const path = pathOf(endpoint, Object.fromEntries(names.map((name) => [name, NOWHERE])));
  const body = endpoint.body === undefined ? {} : { body: EXAMPLE_BODIES[endpoint.path] ?? {} };
  return { path, method: endpoint.method, ...body, ...more };
}

/** The same with everything that the endpoint requires. */
function completeRequestOf(endpoint: Endpoint, more: Partial<Request> = {}): Request {
  const request = requestOf(endpoint, more);
  return { ...request, path: request.path + neededQuery(endpoint) };
}

/** The parameters that the endpoint cannot do without, as its documentation shows them. */
function neededQuery({ query }: Endpoint): string {
  const needed = (query.required ?? []).map((name): [string, string] => {
    const { examples } = query.properties[name] as { readonly examples?: readonly string[] };
    return [name, examples?.[0] ?? NOWHERE];
  });
  return needed.length === 0 ? '' : `?${new URLSearchParams(needed)}`;
}

const RAW = new URLSearchParams('resolution=raw');

/** The scope that points as observed require if hours and days are open. */
function rawScopeOf(endpoint: Endpoint): Scope | undefined {
  if (!Object.hasOwn(endpoint.query.properties, 'resolution')) return undefined;
  const access = endpoint.accessOf?.({}, {} as Services, RAW) ?? 'open';
  return access === 'open' ? undefined : access.scope;
}

/** The same request, for the closed part of an endpoint that is partly open. */
function closedRequestOf(endpoint: Endpoint, more: Partial<Request> = {}): Request {
  const request = requestOf(endpoint, more);
  return rawScopeOf(endpoint) === undefined ? request : { ...request, path: `${request.path}?${RAW}` };
}

const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  '/v2/webhooks': { url: 'https://203.0.114.10/hook', events: ['peg.depeg.start'] },
  '/v2/webhooks/:id': { description: 'x' },
  '/v2/yield/portfolio/analyze': { positions: [{ opportunity_id: NOWHERE, amount_usd: 1 }] },
  '/v2/simulator/run': {
    scenario_id: 'steth_2022',
    positions: [{ kind: 'pool', assets: ['STETH', 'ETH'], amount_usd: 1 }],
  },
  '/v2/liquidity/:id/exit-monte-carlo': { position_usd: 1 },
};

type Produce = (endpoint: Endpoint, positions: Places) => Promise<Response>;

/** Endpoints share the key and its server, because each start checks every key in the store. */
function withKey(more: KeyOptions, plan: Parameters<ServerFixture['key']>[0] = 'enterprise'): Produce {
  const opened = oncePer(async (fixture: ServerFixture) => {
    const key = await fixture.key(plan, more);
    return { key, server: await fixture.serve({ anonymousPlan: null }) };
  });
  return async (endpoint, { fixture }) => {
    const { key, server } = await opened(fixture);
    return ask(server, closedRequestOf(endpoint, { key }));
  };
}

const LACKING = Object.fromEntries(
  SCOPES.map((lacking) => [lacking, withKey({ scopes: SCOPES.filter((scope) => scope !== lacking) })]),
) as { readonly [scope in Scope]: Produce };

/** On a separate server, which publishes these datasets. */
const publishing =
  (datasets: () => DatasetInput[], request: Partial<Request> = {}, key: KeyOptions = {}): Produce =>
  async (endpoint) => {
    const fixture = await ServerFixture.create();
    try {
      await fixture.publish(datasets());
      const made = await fixture.key('custom', key);
      const server = await fixture.serve({ anonymousPlan: null });
      const answer = await ask(server, requestOf(endpoint, { key: made, ...request }));
      return new Response(await answer.arrayBuffer(), answer);
    } finally {
      await fixture.remove();
    }
  };

type KeyOptions = Parameters<ServerFixture['key']>[1];

const bodyOf = (path: string, more: object) => ({ body: { ...EXAMPLE_BODIES[path], ...more } });

/** By code; `endpoint.path code` takes precedence over the code alone. */
export const RECIPES: Readonly<Record<string, Produce>> = {
  missing_auth: (endpoint, { normal }) => ask(normal, closedRequestOf(endpoint)),
  unauthenticated: (endpoint, { opened }) => ask(opened, requestOf(endpoint)),
  invalid_key: (endpoint, { normal }) => ask(normal, requestOf(endpoint, { key: 'rk_live_no' })),
  expired_key: withKey({ expires_ms: AS_OF_MS - 1 }),
  revoked_key: withKey({ revoked_ms: AS_OF_MS - DAY_MS }),
  rate_limited: (endpoint, { guessed }) => ask(guessed, requestOf(endpoint, { key: makeKey(randomBytes) })),
  rate_limit_exceeded: withKey({ limits: { requests_per_minute: 0 } }, 'custom'),
  insufficient_scope: (endpoint, positions) => {
    const { access } = endpoint;
    const needed = access === 'open' ? (rawScopeOf(endpoint) ?? 'manifest:read') : access.scope;
    return LACKING[needed](endpoint, positions);
  },
  plan_upgrade_required: withKey({}, 'free'),
  REPLAY_NOT_AVAILABLE: withKey({}, 'free'),
  MC_TIER_REQUIRED: withKey({}, 'free'),
  SIMULATOR_TIER_REQUIRED: withKey({}, 'free'),
  MC_MONTHLY_QUOTA_EXCEEDED: publishing(
    inputs,
    { path: `/v2/liquidity/${encodeURIComponent(ID)}/exit-monte-carlo` },
    { limits: { monte_carlo_runs_per_month: 0 } },
  ),
  SIMULATOR_MONTHLY_QUOTA_EXCEEDED: publishing(inputs, {}, { limits: { simulator_runs_per_month: 0 } }),
  SIMULATOR_SCENARIO_NOT_FOUND: (endpoint, { normal, key }) =>
    ask(
      normal,
      requestOf(endpoint, {
        key,
        ...(endpoint.body && bodyOf(endpoint.path, { scenario_id: NOWHERE })),
      }),
    ),
  risk_dependency_unavailable: publishing(fixtureDatasets),
  '/v2/liquidity/:id/exit-monte-carlo unavailable': (endpoint, { unpublished, unpublishedKey: key }) =>
    ask(unpublished, requestOf(endpoint, { key })),
  '/v2/simulator/run unavailable': (endpoint, { unpublished, unpublishedKey: key }) =>
    ask(unpublished, requestOf(endpoint, { key })),
  '/v2/yield/portfolio/analyze not_found': (endpoint, { normal, key }) =>
    ask(normal, requestOf(endpoint, { key, ...bodyOf(endpoint.path, { snapshot_version: '0'.repeat(26) }) })),
  invalid_request: (endpoint, { normal, key }) => ask(normal, requestOf(endpoint, { key, method: 'PUT' })),
  validation_failed: (endpoint, { normal, key }) => {
    const { path } = requestOf(endpoint);
    const [name = ''] = Object.keys(endpoint.query.properties);
    const twice = `${path}?${new URLSearchParams([
      [name, '1'],
      [name, '2'],
    ])}`;
    const wrong = endpoint.body === undefined ? { path: twice } : { body: { nobody_knows: 1 } };
    return ask(normal, requestOf(endpoint, { key, ...wrong }));
  },
  not_found: (endpoint, { normal, key }) => {
    const { path } = completeRequestOf(endpoint);
    const isNamed = Object.keys(endpoint.params.properties).length > 0;
    const isOfVersion = Object.hasOwn(endpoint.query.properties, 'as_of');
    const when = isNamed || !isOfVersion ? '' : `${path.includes('?') ? '&' : '?'}as_of=2000-01-01T00:00:00Z`;
    return ask(normal, requestOf(endpoint, { key, path: path + when }));
  },
  unavailable: (endpoint, { unpublished, storeless, storelessKey }) =>
    isOfStore(endpoint)
      ? ask(storeless, requestOf(endpoint, { key: storelessKey }))
      : ask(unpublished, completeRequestOf(endpoint)),
  '/v1/status unavailable': (_, { unpublished }) =>
    ask(unpublished, { path: '/v1/status?as_of=2026-03-01T12:00:00Z' }),
  '/v1/status/latency unavailable': (endpoint, { storeless }) => ask(storeless, requestOf(endpoint)),
  internal_error: (endpoint, { broken: server, key }) => ask(server, completeRequestOf(endpoint, { key })),
  REPLAY_WINDOW_EXPIRED: (_, { normal, key }) =>
    ask(normal, { path: `/v2/events/replay?since_event_id=${'0'.repeat(26)}`, key }),
  INVALID_CURSOR: (_, { normal, key }) => ask(normal, { path: '/v2/events/replay?since_event_id=1', key }),
  INVALID_EVENT_TYPE: (_, { normal, key }) => ask(normal, { path: '/v2/events/replay?type=peg', key }),
  '/errors/:code internal_error': (_, { broken: server }) => ask(server, { path: '/errors/not_found' }),
  '/v2/datasets/:id missing_auth': (_, { normal }) => ask(normal, { path: '/v2/datasets/coverage' }),
  '/v2/datasets/:id insufficient_scope': async (_, { fixture }) => {
    const key = await fixture.key('enterprise', { scopes: ['data:read'] });
    return ask(await fixture.serve({ anonymousPlan: null }), { path: '/v2/datasets/coverage', key });
  },
  '/v2/datasets/:id plan_upgrade_required': async (_, { fixture }) => {
    const key = await fixture.key('free');
    return ask(await fixture.serve({ anonymousPlan: null }), { path: '/v2/datasets/coverage', key });
  },
  range_not_satisfiable: publishing(
    () => [datasetOf('prices', [{ key: 'a', value: { n: 1 } }], AS_OF, { rows: 1, table: NUMBERS })],
    { path: '/v2/datasets/prices.csv', headers: { Range: 'bytes=1000-' } },
  ),
  '/v2/corrections not_found': (_, { normal, key }) =>
    ask(normal, { path: '/v2/corrections?dataset=no', key }),
  '/v2/events not_found': (_, { normal }) => ask(normal, { path: '/v2/events?as_of=2000-01-01T00:00:00Z' }),
  '/v2/datasets not_found': (_, { normal }) => ask(normal, { path: '/v2/datasets?version=no' }),
};

const NUMBERS: TableInfo = {
  title: 'Numbers',
  key: ['name'],
  separator: '/',
  shape: 'one',
  row: { type: 'object', additionalProperties: false, properties: { n: { type: 'integer' } } },
};

const isOfStore = ({ access }: Endpoint): boolean =>
  access !== 'open' && (access.scope.startsWith('webhooks:') || access.scope === 'usage:read');

/** Every error that an endpoint can return, declared or caused by its access. */
export const errorsOf = ({ access, errors }: Endpoint): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([...accessErrors(access), 'validation_failed', ...errors]),
];
