// Real responses over the demo's data, read by openapi-core: a reader of OpenAPI documents by others, in another language, that knows the
// service only from the document that it publishes. Every operation is requested as documented, and wrongly.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_NOW, demoFolder } from '../../support/demo-folder.ts';
import { describeReaders, READERS_PYTHON } from '../../support/python-readers.ts';
import { ServerFixture } from '../server-fixture.ts';

const SCRIPT = fileURLToPath(new URL('../../support/read-answers.py', import.meta.url));

interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Reading extends Pick<Request, 'method' | 'target'> {
  readonly status: number;
  readonly request_problem: string | null;
  readonly response_problem: string | null;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

let served: ServerFixture;
let url: string;
let keys: Readonly<Record<'enterprise' | 'free', string>>;

/** The server under test answers in this process, so the reader must not block it. */
async function read(
  requests: readonly Request[],
  answers: 'sent' | 'spoilt' = 'sent',
): Promise<readonly Reading[]> {
  const reader = spawn(READERS_PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  reader.stdin.end(JSON.stringify({ url, requests, are_spoilt: answers === 'spoilt' }));
  return (await json(reader.stdout)) as readonly Reading[];
}

async function ask<T>(target: string): Promise<T> {
  const response = await fetch(url + target, { headers: bearer(keys.enterprise) });
  expect(response.status, target).toBe(200);
  return ((await response.json()) as { data: T }).data;
}

/** Operations of the served document that no request reached. */
async function untried(answers: readonly Reading[]): Promise<readonly string[]> {
  const response = await fetch(`${url}/openapi-public.json`);
  const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
  return Object.entries(paths).flatMap(([path, item]) => {
    const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/{[^}]+}/g, '[^/?]+')}(\\?|$)`);
    return Object.keys(item)
      .map((method) => method.toUpperCase())
      .filter((method) => /^(GET|POST|PATCH|DELETE)$/.test(method))
      .filter((method) => !answers.some((one) => one.method === method && pattern.test(one.target)))
      .map((method) => `${method} ${path}`);
  });
}

/** A subject of each kind, from the lists of the API. */
async function subjects(): Promise<Readonly<Record<string, string>>> {
  type Row = Readonly<Record<string, string>>;
  const first = async (target: string) => (await ask<readonly Row[]>(target))[0] ?? {};
  const peg = await first('/v2/pegs?limit=1');
  const feed = await first('/v2/feeds?limit=1');
  const market = await first('/v2/lending/markets?limit=1');
  const position = await first('/v2/yield/opportunities?page%5Blimit%5D=1');
  const vault = await first('/v2/vaults?limit=1');
  const oracle = await first('/v2/lending/oracles?limit=1');
  const event = await first('/v2/events?type=peg.depeg.start&limit=1');
  const pair = await first('/data/oracle/chainlink/pairs');
  return {
    peg: `${peg['chain']}/${peg['symbol']}`,
    feed: `${feed['chain']}/${feed['feed_address']}`,
    market: `${market['chain']}/${market['market_id']}`,
    vault: `${vault['chain']}/${vault['vault_address']}`,
    oracle: `${oracle['chain']}/${oracle['market_id']}`,
    exit: encodeURIComponent(`${market['chain']}:${market['market_id']}`),
    opportunity: encodeURIComponent(position['id'] ?? ''),
    opportunity_id: position['id'] ?? '',
    event: event['event_id'] ?? '',
    pair: pair['pair'] ?? '',
  };
}

const get = (target: string, headers: Request['headers'] = bearer(keys.enterprise)): Request => ({
  method: 'GET',
  target,
  headers,
});
const send = (method: string, target: string, body: unknown): Request => ({
  method,
  target,
  headers: { ...bearer(keys.enterprise), 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const picturesAndDocuments = (of: Readonly<Record<string, string>>): readonly string[] => [
  ...['/asyncapi.yaml', '/asyncapi.json', '/badges/status.svg', '/badges/coverage.svg'],
  ...['/datapackage.json', '/croissant.json'],
  ...['/feeds/events.atom?limit=3', '/feeds/events.json?limit=3&severity=high'],
  ...['/badges/datasets/pegs.svg', `/badges/pegs/${(of['peg'] ?? '').replace('/', '.')}.svg`],
];

const marketsAndVaults = (of: Readonly<Record<string, string>>): readonly string[] => [
  ...['/v2/lending/oracles?limit=2', `/v2/lending/markets/${of['oracle']}/oracle`],
  `/v2/lending/markets/${of['oracle']}/oracle/series?resolution=1d`,
  ...[
    '/v2/vaults?limit=2',
    '/v2/vaults/totals?asset=USDC',
    `/v2/vaults/${of['vault']}`,
    `/v2/vaults/${of['vault']}/history?resolution=1d`,
  ],
  ...[
    `/v2/vaults/${of['vault']}/holdings`,
    `/v2/vaults/${of['vault']}/exit?amount=1&unit=usd`,
    `/v2/vaults/exit?vault=${of['vault']?.replace('/', ':')}`,
    `/v2/vaults/${of['vault']}/changes`,
    '/v2/vaults/changes?limit=2',
  ],
  '/v2/exposure/paths?from=asset%3AUSDC&limit=5',
];

/** A target for every GET operation. */
const targetsOf = (of: Readonly<Record<string, string>>, webhook: string): readonly string[] => [
  ...['/data/oracle/chainlink/pairs', `/data/oracle/chainlink/${of['pair']}`],
  ...['/v2/pegs?limit=2', `/v2/pegs/${of['peg']}/series?resolution=1d`],
  ...['/v2/feeds?limit=2', `/v2/feeds/${of['feed']}/series?resolution=1d`],
  `/v2/feeds/${of['feed']}/rounds?resolution=1d`,
  ...['/v2/lending/markets?limit=2', `/v2/lending/markets/${of['market']}/history?resolution=1d`],
  ...marketsAndVaults(of),
  ...['/v2/networks', '/v2/networks/ethereum/history', '/v2/networks/ethereum/proposer-payments'],
  ...['/v2/networks/ethereum/proposer-payments/history', '/v2/market/regime/history?resolution=1d'],
  ...['/v2/scores/overall', '/v2/scores/overall/aave', '/v2/scores/overall/aave/history'],
  ...['/scores/overall/aave', '/scores/development', '/scores/development/protocols/aave'],
  ...['/scores/development/blockchain/ethereum', '/v2/scores/development/aave/history'],
  ...['/scores/social/protocols/reddit', '/scores/social/discord/aave', '/scores/social/reddit/aave'],
  '/v2/scores/social/reddit/aave/history',
  ...['/data/governance/aave', '/v2/data/governance/aave', '/v2/data/governance/aave/history'],
  ...['/data/blockchain/arbitrum', '/data/blockchain/near'],
  '/data/blockchain/ethereum/transaction-statistics',
  '/data/blockchain/ethereum/network-statistics',
  ...['/data/restaking', '/data/restaking/renzo', '/data/eigenlayer'],
  ...[
    '/v2/conditions',
    '/v2/changes?limit=5',
    '/v2/data-manifest',
    '/v2/data-manifest/coverage?limit=5&scope=oracle_feed',
  ],
  ...['/v2/coverage/history', '/v2/corrections', '/v2/versions', '/v2/datasets', '/v2/datasets/pegs'],
  ...['/v2/datasets/pegs.csv', '/v2/datasets/networks.ndjson', '/v2/datasets/feeds.parquet'],
  '/v2/yield/opportunities?page%5Blimit%5D=2&filter%5Basset%5D=USDC&sort=-netApy',
  ...[`/v2/yield/opportunities/${of['opportunity']}`, `/v2/yield/opportunities/${of['opportunity']}/history`],
  ...['/v2/simulator/scenarios', '/v2/simulator/scenarios/usdc_2023'],
  ...['/v2/events/replay?limit=3', '/v2/events?limit=3&severity=high', `/v2/events/${of['event']}`],
  ...[`/v2/events/${of['event']}/evidence`, '/v2/event-types'],
  ...['/v2/webhooks', `/v2/webhooks/${webhook}`, `/v2/webhooks/${webhook}/deliveries?limit=2`],
  `/v2/webhooks/${webhook}/statistics`,
  ...['/v1/health', '/v1/ready', '/v1/status', '/v1/status/history', '/v1/status/latency', '/v1/version'],
  ...['/v1/usage', '/v1/usage/history?days=2', '/llms.txt', '/openapi-public.yaml', '/openapi-public.json'],
  ...picturesAndDocuments(of),
];

/** The body of every request that has one. */
const bodiesOf = (of: Readonly<Record<string, string>>): readonly Request[] => [
  send('POST', '/v2/yield/portfolio/analyze', {
    positions: [{ opportunity_id: of['opportunity_id'], amount_usd: 1_000 }],
    paths: 500,
  }),
  send('POST', '/v2/simulator/run', {
    scenario_id: 'steth_2022',
    positions: [{ kind: 'pool', assets: ['STETH', 'ETH'], amount_usd: 1_000 }],
  }),
  send('POST', `/v2/liquidity/${of['exit']}/exit-monte-carlo`, { position_usd: 1_000, paths: 200 }),
];

const HOOK = { url: 'https://192.0.66.2/hook', events: ['oracle.stale'] };

/** The id of a new subscription. */
async function subscribe(): Promise<string> {
  const { headers, body = '' } = send('POST', '/v2/webhooks', HOOK);
  const response = await fetch(`${url}/v2/webhooks`, { method: 'POST', headers, body });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

interface Requested {
  readonly targets: readonly string[];
  readonly bodies: readonly Request[];
  readonly webhook: string;
}

const asDocumented = ({ targets, bodies, webhook }: Requested): readonly Request[] => [
  ...targets.map((target) => get(target)),
  ...bodies,
  send('POST', '/v2/webhooks', HOOK),
  send('PATCH', `/v2/webhooks/${webhook}`, { description: 'for reading' }),
  send('POST', `/v2/webhooks/${webhook}/test`, {}),
  send('POST', `/v2/webhooks/${webhook}/rotate-secret`, {}),
];

/** Unknown parameters and members, no key, a plan that is too low, subjects that do not exist, impossible ranges and ids. */
function wrongly({ targets, bodies, webhook }: Requested): readonly Request[] {
  const paths = [...new Set(targets.map((target) => target.split('?', 1)[0] ?? ''))];
  const free = bearer(keys.free);
  const closed = [
    '/v2/data-manifest/coverage',
    '/v2/webhooks',
    '/v2/events/replay',
    '/v2/scores/overall/aave',
  ];
  const remove = { method: 'DELETE', target: `/v2/webhooks/${webhook}`, headers: bearer(keys.enterprise) };
  return [
    ...targets.map((target) => get(`${target}${target.includes('?') ? '&' : '?'}no_such_parameter=1`)),
    ...paths.map((path) => get(path, {})),
    ...paths.filter((path) => path.startsWith('/v2/')).map((path) => get(`${path}?as_of=1`)),
    ...closed.map((path) => get(path, free)),
    ...bodies.map((one) => ({ ...one, headers: { ...one.headers, ...free } })),
    ...bodies.map(({ target }) => send('POST', target, { no_such_member: 1 })),
    ...bodies.map((one) => ({ ...one, headers: { 'Content-Type': 'application/json' } })),
    ...['/v2/pegs/ethereum/NONE/series', '/scores/overall/none', '/data/oracle/none/pairs'].map((path) =>
      get(path),
    ),
    ...['/data/restaking/none', '/v2/events/01M0000000000000000000000A', '/v2/datasets/none'].map((path) =>
      get(path),
    ),
    get('/v2/datasets/pegs.ndjson', { ...bearer(keys.enterprise), Range: 'bytes=0-99' }),
    get('/v2/datasets/pegs.ndjson', { ...bearer(keys.enterprise), Range: 'bytes=99999999-' }),
    ...['since_event_id=nonsense', 'type=no.such.type'].map((query) => get(`/v2/events/replay?${query}`)),
    send('POST', '/v2/webhooks', { url: 'ftp://example.com', events: [] }),
    send('PATCH', `/v2/webhooks/${webhook}`, { status: 'asleep' }),
    send('POST', `/v2/webhooks/${webhook}/deliveries/dlv_0000000000000000/redeliver`, {}),
    ...[remove, remove],
  ];
}

const refused = (answers: readonly Reading[], part: 'request_problem' | 'response_problem') =>
  answers.flatMap((one) =>
    one[part] === null ? [] : [`${one.method} ${one.target} → ${one.status}: ${one[part]}`],
  );

describeReaders('responses over the demo, by openapi-core', () => {
  beforeAll(async () => {
    served = new ServerFixture(join(await demoFolder(), 'snapshots'));
    served.nowMs = DEMO_NOW * 1000;
    keys = { enterprise: await served.key('enterprise'), free: await served.key('free') };
    url = (await served.serve({ anonymousPlan: null })).url;
  }, 300_000);
  afterAll(() => served.remove());

  test('every operation is as its document says, requested as documented and wrongly', async () => {
    const of = await subjects();
    const webhook = await subscribe();
    const requested = { targets: targetsOf(of, webhook), bodies: bodiesOf(of), webhook };
    const right = asDocumented(requested);
    const answers = await read([...right, ...wrongly(requested)]);
    const documented = answers.slice(0, right.length);
    expect(refused(answers, 'response_problem')).toEqual([]);
    expect(refused(documented, 'request_problem')).toEqual([]);
    expect(documented.filter(({ status }) => status >= 300)).toEqual([]);
    expect(new Set(answers.map(({ method, target }) => `${method} ${target}`)).size).toBeGreaterThan(60);
    // Each status of the whole document that a healthy service can answer.
    expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual([
      200, 201, 202, 204, 206, 400, 401, 402, 403, 404, 416,
    ]);
    expect(await untried(answers)).toEqual([]);
  }, 120_000);

  test('the reader refuses bodies, statuses and headers that the document does not have', async () => {
    const spoilt = await read(
      [get('/v2/pegs?limit=2'), get('/v2/data-manifest'), get('/v1/version')],
      'spoilt',
    );
    expect(spoilt.map(({ response_problem }) => response_problem)).toEqual([
      expect.stringContaining('is not of type'),
      expect.stringContaining('MissingRequiredHeader'),
      expect.stringContaining('ResponseNotFound'),
    ]);
  });
});
