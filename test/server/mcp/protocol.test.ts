import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../schemas/plans.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { freePort } from '../../support/free-port.ts';
import type { Json } from '../../../platform/base/json.ts';
import { CoverageRowSchema } from '../../../schemas/coverage.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { AS_OF, coverageRow, datasetOf, ServerFixture } from '../server-fixture.ts';
import { callTool, errorIn, MODERN, modern, post } from './mcp-client.ts';

let fixture: ServerFixture;
let server: RunningServer;
const keys = { team: '', free: '', narrow: '', counted: '' };

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  keys.team = await fixture.key('team');
  keys.free = await fixture.key('free');
  keys.narrow = await fixture.key('team', { scopes: ['data:read'] });
  keys.counted = await fixture.key('team', { org: 'counted' });
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

interface RpcBody {
  readonly id: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code?: string };
  };
  readonly result?: Readonly<Record<string, unknown>>;
}

const bodyOf = async (response: Response) => (await response.json()) as RpcBody;

/** The body of a response to a client of 2025, which is a stream of one event. */
async function eventOf(response: Response): Promise<RpcBody> {
  const text = await response.text();
  const data = text.split('\n').find((line) => line.startsWith('data: '));
  return JSON.parse(data?.slice('data: '.length) ?? text) as RpcBody;
}

const initialize = (protocolVersion: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'first',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  });

describe('both eras', () => {
  test('the stateless revision discovers, lists and calls without a session', async () => {
    const found = await bodyOf(await modern(server, 'server/discover'));
    expect(found.result?.['supportedVersions']).toEqual([MODERN]);
    expect(found.result?.['capabilities']).toEqual({ tools: { listChanged: false } });
    const answer = await callTool(server, 'is_it_usable', { subject: 'dataset:oracle-pairs' });
    expect(answer.structuredContent?.data).toMatchObject({ verdict: 'do_not_use' });
    expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent);
  });

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'a client of %s is served without a session',
    async (version) => {
      const first = await post(server, initialize(version));
      expect(first.headers.get('mcp-session-id')).toBeNull();
      expect((await eventOf(first)).result?.['protocolVersion']).toBe(version);
      const headers = { 'MCP-Protocol-Version': version };
      const noted = await post(server, '{"jsonrpc":"2.0","method":"notifications/initialized"}', { headers });
      expect([noted.status, await noted.text()]).toEqual([202, '']);
      const listed = await eventOf(
        await post(server, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}', { headers }),
      );
      expect(listed.result?.['tools']).toHaveLength(20);
      const call = { name: 'is_it_usable', arguments: { subject: 'dataset:oracle-pairs' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call });
      const answer = await eventOf(await post(server, body, { headers }));
      expect(answer.result?.['structuredContent']).toMatchObject({ data: { verdict: 'do_not_use' } });
    },
  );
});

describe('what is wrong with a request', () => {
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

  test.each([
    ['no JSON', '{', {}, 400, -32_700],
    ['an empty body', '', {}, 400, -32_700],
    ['a batch', `[${list},${list}]`, {}, 400, -32_600],
    ['a body over the limit', `"${'x'.repeat(LIMITS.body_bytes)}"`, {}, 400, -32_600],
    ['another content type', list, { 'Content-Type': 'text/plain' }, 415, -32_000],
    ['a compressed body', list, { 'Content-Encoding': 'gzip' }, 400, -32_600],
    ['no accepted form', list, { Accept: 'text/html' }, 406, -32_000],
    ['an unknown version of 2025', list, { 'MCP-Protocol-Version': '2025-01-01' }, 400, -32_000],
    ['an origin that is no address', list, { Origin: 'null' }, 403, -32_000],
    ['a foreign origin on a local server', list, { Origin: 'https://evil.example' }, 403, -32_000],
    ['a key that is none', list, { Authorization: 'Bearer nonsense' }, 401, -32_000],
  ])('%s', async (_, body, headers, status, code) => {
    const response = await post(server, body, { headers });
    const { error } = await bodyOf(response);
    expect([response.status, error?.code]).toEqual([status, code]);
    expect(error?.message).toMatch(/\w{4}/);
  });

  test('the revision that no one serves is named, with those that are', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    const response = await post(server, body, {
      headers: { 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'tools/list' },
    });
    const text = JSON.stringify((await bodyOf(response)).error);
    expect(response.status).toBe(400);
    expect(text).toContain(MODERN);
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s is not allowed', async (method) => {
    const response = await post(server, undefined, {}, method);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await bodyOf(response)).error?.message).toContain('POST');
  });

  test('a subscription does not keep its response open', async () => {
    const response = await modern(server, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([404, -32_601]);
  });

  test('an unknown tool and an unknown method are the errors of the protocol', async () => {
    const tool = await bodyOf(await modern(server, 'tools/call', { name: 'get_pegs', arguments: {} }));
    expect(tool.error).toMatchObject({ code: -32_602, message: 'Tool get_pegs not found' });
    const method = await modern(server, 'tools/erase');
    expect((await bodyOf(method)).error?.code).toBe(-32_601);
  });

  test.each([
    ['get_peg', {}, 'symbol is required.'],
    ['get_peg', { symbol: 1 }, 'symbol must be a string.'],
    ['get_peg', { symbol: 'USDC', sybol: 'x' }, 'sybol is not allowed here.'],
    ['get_peg', { symbol: 'x'.repeat(1_001) }, 'symbol must have at most 1000 characters.'],
    ['search_events', { limit: 0 }, 'limit must be at least 1.'],
    ['search_events', { limit: 101 }, 'limit must be at most 100.'],
    ['search_events', { type: 'peg.dpeg' }, ', not "peg.dpeg"'],
    ['search_events', { as_of: 'yesterday' }, 'as_of must be a time in UTC, such as 2026-01-31T09:00:00Z.'],
    ['what_is_wrong_now', { cursor: 'x' }, 'cursor was not issued by this tool.'],
    ['is_it_usable', { subject: 'coin:USDC' }, 'subject must be one of peg:<chain>:<asset_name>'],
    ['is_it_usable', { subject: 'peg:USDC' }, 'subject must have the form peg:<chain>:<asset_name>.'],
  ])('%s with %j says: %s', async (name, args, message) => {
    const error = errorIn(await callTool(server, name, args));
    expect(error.code).toBe('validation_failed');
    expect(error.message).toContain(message);
  });

  test('a time before all versions is not found', async () => {
    for (const [name, args] of [
      ['what_is_wrong_now', {}],
      ['is_it_usable', { subject: 'dataset:pegs' }],
      ['list_datasets', {}],
      ['search_events', {}],
      ['coverage_gaps', {}],
      ['query_dataset', { dataset: 'coverage' }],
      ['exit_monte_carlo', { market: 'ethereum:0x1', position_usd: 1 }],
    ] as const) {
      const time = { as_of: '2020-01-01T00:00:00Z' };
      const early = await callTool(server, name, { ...args, ...time }, { key: keys.team });
      expect([name, errorIn(early).code]).toEqual([name, 'not_found']);
    }
  });

  test('before the first version every tool says that nothing is published', async () => {
    const empty = await ServerFixture.create();
    const early = await empty.serve();
    for (const name of ['what_is_wrong_now', 'list_datasets', 'search_events'])
      expect(errorIn(await callTool(early, name))).toMatchObject({ code: 'unavailable' });
    await empty.remove();
  });

  test('a cursor is only good for the arguments that it was issued for', async () => {
    const first = await callTool(server, 'list_datasets', { limit: 1 });
    const cursor = first.structuredContent?.cursor;
    expect(cursor).toEqual(expect.any(String));
    const second = await callTool(server, 'list_datasets', { limit: 1, cursor });
    expect(second.structuredContent?.data).not.toEqual(first.structuredContent?.data);
    const other = await callTool(server, 'list_datasets', { cursor, as_of: '2026-03-01T12:00:00Z' });
    expect(errorIn(other).message).toBe('cursor belongs to other arguments: start again without a cursor.');
    const foreign = await callTool(server, 'what_is_wrong_now', { cursor });
    expect(errorIn(foreign).message).toContain('belongs to other arguments');
  });
});

describe('access', () => {
  test('a key without the scope gets 403 insufficient_scope, in both eras', async () => {
    const closed = await fixture.serve({ anonymousPlan: null });
    const key = keys.narrow;
    const call = { name: 'coverage_gaps', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    for (const response of [
      await modern(closed, 'tools/call', call, { key }),
      await post(closed, body, { key }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
      expect(response.headers.get('www-authenticate')).toContain('scope="manifest:read"');
    }
  });

  test('values that no row of a dataset has are named, whatever the other columns select', async () => {
    const where = { chain: ['Ethereum', 'etherium'], scope: 'oracle_feed', history_completeness_pct: 90 };
    const args = { dataset: 'coverage', where };
    const tables = await ServerFixture.create();
    const table = { title: 'Coverage', key: ['chain', 'scope', 'scope_id'], separator: '|', shape: 'one' };
    const rows = [coverageRow('0xa1', 90), coverageRow('0xa2', 100)];
    const more = { table: { ...table, row: CoverageRowSchema as unknown as Json } } as Partial<DatasetInput>;
    await tables.publish([datasetOf('coverage', rows, AS_OF, more)]);
    const { structuredContent } = await callTool(await tables.serve(), 'query_dataset', args);
    await tables.remove();
    expect(structuredContent).toMatchObject({
      meta: { total: 1, unmatched: [{ parameter: 'chain', value: 'etherium' }] },
    });
  });

  test('without a key, open tools answer and others say what they need', async () => {
    const closed = await fixture.serve({ anonymousPlan: null });
    expect((await callTool(closed, 'list_datasets')).isError).toBeUndefined();
    expect(errorIn(await callTool(closed, 'coverage_gaps')).code).toBe('missing_auth');
    expect(errorIn(await callTool(closed, 'query_dataset', { dataset: 'coverage' })).code).toBe(
      'missing_auth',
    );
  });

  test('a plan that is too low is named, with those that suffice', async () => {
    const refused = await callTool(server, 'coverage_gaps', {}, { key: keys.free });
    expect(errorIn(refused)).toMatchObject({
      code: 'plan_upgrade_required',
      details: { current_plan: 'free' },
    });
  });

  test('calls count against the rate limit, and a refused one has the form of the protocol', async () => {
    const limited = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
    const all = await Promise.all(
      Array.from({ length: LIMITS.anonymous_requests_per_minute + 1 }, () => modern(limited, 'tools/list')),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get('retry-after')).toBe('60');
    expect((await bodyOf(refused[0] as Response)).error?.data?.code).toBe('rate_limit_exceeded');
  });

  test('a call counts as a request under the name of its tool, and an error of the tool as an error', async () => {
    const port = await freePort();
    const served = await fixture.serve({ metrics: { host: '127.0.0.1', port } });
    const key = keys.counted;
    await callTool(served, 'list_datasets', {}, { key });
    await callTool(served, 'get_peg', {}, { key });
    await modern(served, 'tools/call', { name: 'no_such_tool', arguments: {} }, { key });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('http_requests_total{route="/mcp list_datasets",status="200"} 1');
    expect(metrics).toContain('http_requests_total{route="/mcp get_peg",status="400"} 1');
    expect(metrics).not.toContain('no_such_tool');
    const usage = await fetch(`${served.url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await usage.json()).toMatchObject({ data: { month: { requests: 3 } } });
  });
});

describe('pages', () => {
  test('a preflight allows the headers of the protocol', async () => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Authorization'])
      expect(response.headers.get('access-control-allow-headers')).toContain(name);
  });

  test('local pages may call a local server, listed ones any', async () => {
    const local = { headers: { Origin: 'http://localhost:3000' } };
    expect((await modern(server, 'tools/list', {}, local)).status).toBe(200);
    const listed = await fixture.serve({ streamOrigins: ['https://app.example'] });
    const own = { headers: { Origin: 'https://app.example' } };
    const response = await modern(listed, 'tools/list', {}, own);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const other = { headers: { Origin: 'https://other.example' } };
    expect((await modern(listed, 'tools/list', {}, other)).status).toBe(403);
  });
});
