import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { MAX_ANSWER_BYTES, type Tool } from '../../../server/mcp/tool.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import { DEMO_NOW, demoFolder } from '../../support/demo-folder.ts';
import { ServerFixture } from '../server-fixture.ts';
import { callTool, errorIn, type ToolResult } from './mcp-client.ts';

let fixture: ServerFixture;
let server: RunningServer;
let key: string;

beforeAll(async () => {
  fixture = new ServerFixture(join(await demoFolder(), 'snapshots'));
  fixture.nowMs = DEMO_NOW * 1_000;
  key = await fixture.key('enterprise');
  server = await fixture.serve({ anonymousPlan: null, docsUrl: '' });
});
afterAll(() => fixture.remove());

type Row = Readonly<Record<string, unknown>>;
const answerOf = ({ structuredContent, content }: ToolResult) => {
  if (structuredContent === undefined) throw new Error(content[0]?.text);
  return structuredContent;
};
const rowsOf = (result: ToolResult) => answerOf(result).data as readonly Row[];
const call = (name: string, args: object = {}) => callTool(server, name, args, { key });
const first = async (name: string, args: object = {}) => rowsOf(await call(name, args))[0] ?? {};

/** A call of every tool about something that is there. */
const CALLS: Readonly<Record<string, () => Promise<object>>> = {
  what_is_wrong_now: async () => ({}),
  is_it_usable: async () => ({ subject: 'peg:ethereum:USDC' }),
  explain_event: async () => ({ event_id: (await first('search_events'))['event_id'] }),
  search_events: async () => ({ severity: 'high,critical', limit: 100 }),
  get_peg: async () => ({ symbol: 'USDC' }),
  get_feed: async () => ({ pair: 'ETH-USD' }),
  get_market: async () => ({ chain: 'ethereum' }),
  vault_exit: async () => {
    const { chain, vault_address: address } = await first('find_vaults');
    return { chain, address, amount: 1, unit: 'usd' };
  },
  vault_set_exit: async () => {
    const { chain, vault_address: address } = await first('find_vaults');
    return { vault: `${chain}:${address}` };
  },
  find_yields: async () => ({ chain: 'ethereum', minTvl: 1_000, sort: '-netApy' }),
  score_receipt: async () => ({ protocol: 'aave' }),
  coverage_gaps: async () => ({ scope: 'oracle_feed', limit: 100 }),
  list_datasets: async () => ({ limit: 100 }),
  query_dataset: async () => ({
    dataset: 'pegs',
    where: { symbol: ['usdc', 'DAI'] },
    columns: ['symbol', 'price'],
  }),
  exit_monte_carlo: async () => ({ market: await marketId(), position_usd: 1_000, paths: 200 }),
  portfolio: async () => ({
    positions: [{ opportunity_id: (await first('find_yields'))['id'], amount_usd: 10 }],
  }),
  simulate: async () => ({
    scenario_id: 'usdc_2023',
    positions: [{ kind: 'supply', market: await marketId(), amount_usd: 1_000 }],
  }),
};

async function marketId(): Promise<string> {
  const { chain, market_id } = await first('get_market', { chain: 'ethereum' });
  return `${chain}:${market_id}`;
}

const all = TOOLS.map((tool) => [tool.name, tool] as const);

test.each(all)(
  '%s answers within its schema and the limit, with a link that reproduces it',
  async (name, tool) => {
    const result = await call(name, await CALLS[name]?.());
    const answer = answerOf(result);
    expect(errorsOf(tool.output, answer)).toEqual([]);
    expect(Buffer.byteLength(result.content[0]?.text ?? '')).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    expect(Object.keys(answer).at(-1)).toBe('link');
    expect(answer.link).toContain(`${server.url}/`);
    expect(answer.link).toContain('as_of=');
    const linked = await fetch(answer.link, { headers: { Authorization: `Bearer ${key}` } });
    expect([answer.link, linked.status]).toEqual([answer.link, 200]);
  },
);

test.each(all)('%s gives the same data for the time of its answer', async (name) => {
  const args = (await CALLS[name]?.()) ?? {};
  const now = answerOf(await call(name, args));
  const then = answerOf(await call(name, { ...args, as_of: now.as_of }));
  expect(then.version).toBe(now.version);
  expect(then.data).toEqual(now.data);
});

test.each(all)('%s says what it is for, how fresh, with which limits and at which cost', (_, tool: Tool) => {
  expect(tool.description.length).toBeGreaterThan(150);
  expect(tool.description).toMatch(/No key needed|Needs a key|need no key/);
  expect(Object.keys(tool.input.properties)).toContain('as_of');
  for (const name of Object.keys(tool.input.properties)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test.each([
  ['search_events', {}, 'event_id'],
  ['get_market', {}, 'market_id'],
  ['find_yields', {}, 'id'],
  ['coverage_gaps', {}, 'scope_id'],
  ['list_datasets', {}, 'id'],
  ['query_dataset', { dataset: 'feeds' }, 'feed_address'],
])('all pages of %s together have every row once', async (name, args, id) => {
  const seen: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const page = answerOf(await call(name, { ...args, limit: 7, ...(cursor && { cursor }) }));
    seen.push(
      ...(page.data as readonly Row[]).map((row) => JSON.stringify([row['chain'], row['scope'], row[id]])),
    );
    cursor = page.cursor;
  } while (cursor !== null && seen.length < 2_000);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(7);
});

test('a cut answer goes on where it ended, whatever its limit was', async () => {
  const whole = answerOf(await call('get_market', { limit: 100 }));
  expect(whole.cursor).not.toBeNull();
  const rest = answerOf(await call('get_market', { limit: 100, cursor: whole.cursor }));
  const ids = [...(whole.data as readonly Row[]), ...(rest.data as readonly Row[])].map(
    (row) => row['market_id'],
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('one source: the verdict is that of the status, the sentence that of the evidence', async () => {
  const status = (await (await fetch(`${server.url}/v1/status`)).json()) as {
    headline: string;
    reasons: unknown[];
  };
  const wrong = answerOf(await call('what_is_wrong_now'));
  expect(wrong.data).toMatchObject({ headline: status.headline });
  expect(wrong.meta['reasons']).toBe(status.reasons.length);
  const { event_id } = await first('search_events', { type: 'peg.depeg.start' });
  const evidence = await fetch(`${server.url}/v2/events/${event_id}/evidence`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const { data } = (await evidence.json()) as { data: { story: object } };
  expect(answerOf(await call('explain_event', { event_id })).data).toMatchObject({ story: data.story });
});

test('what is not there is an error that says so', async () => {
  for (const [name, args, code] of [
    ['get_peg', { symbol: 'NOPE' }, 'not_found'],
    ['explain_event', { event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD' }, 'not_found'],
    ['score_receipt', { protocol: 'nope' }, 'not_found'],
    ['query_dataset', { dataset: 'nope' }, 'not_found'],
    ['query_dataset', { dataset: 'pegs', where: { simbol: 'USDC' } }, 'validation_failed'],
    ['exit_monte_carlo', { market: 'ethereum:0x1', position_usd: 1 }, 'not_found'],
    ['simulate', { scenario_id: 'nope', positions: [] }, 'validation_failed'],
  ] as const)
    expect([name, errorIn(await call(name, args)).code]).toEqual([name, code]);
  const unknown = answerOf(await call('is_it_usable', { subject: 'peg:ethereum:NOPE' }));
  expect(unknown.data).toMatchObject({ verdict: 'do_not_use' });
});

test('an equal run is charged once', async () => {
  const args = await CALLS['exit_monte_carlo']?.();
  const used = async () => {
    const usage = await fetch(`${server.url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
    return ((await usage.json()) as { data: { month: { monte_carlo_runs: { used: number } } } }).data.month
      .monte_carlo_runs.used;
  };
  await call('exit_monte_carlo', args);
  const before = await used();
  await call('exit_monte_carlo', args);
  expect(await used()).toBe(before);
});
