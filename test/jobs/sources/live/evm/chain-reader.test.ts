// Sources on a chain, fetched from a real node into recordings: rows that land, exact node responses as evidence, and faults by name.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { domains } from '../../../../../jobs/registry.ts';
import { landingSources } from '../../../../../jobs/sources/live/fetch/landing-sources.ts';
import type { LiveSource } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { problemsOfLiveSources } from '../../../../../jobs/sources/live/fetch/problems.ts';
import type { RecordedPage, Recording } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { bodyPath } from '../../../../../jobs/sources/live/fetch/recording-store.ts';
import type { LiveSection } from '../../../../../jobs/sources/live/fetch/section.ts';
import { openFixture, sourceOf } from '../fetching-fixture.ts';
import { json } from '../http/replay-server.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const CHAIN = 31_337;
const HOUR = 3_600;
const MINUTE = 60;
const MIDNIGHT = Date.UTC(2026, 0, 11) / 1000;
const start = MIDNIGHT - 12 * HOUR;

describeOnNode('a source on a chain', () => {
  let node: Anvil;
  let vault: Address;
  let feed: Address;
  let fixture: Awaited<ReturnType<typeof openFixture>>;
  beforeAll(async () => {
    node = await startAnvil(['--timestamp', String(start)]);
    await node.installMulticall();
    vault = await node.deploy('Vault', [word(1).slice(0, 42)]);
    const aggregator = await node.deploy('Aggregator', [8]);
    feed = await node.deploy('AggregatorProxy');
    await node.send('AggregatorProxy', feed, 'confirm', aggregator);
    const times = [start, start + 60, start + 120];
    await node.send('Aggregator', aggregator, 'submit', [100n, -5n, 2n ** 200n], times);
    for (const fee of [1n, 2n]) await node.send('Vault', vault, 'setFee', fee);
    await node.client.mine({ blocks: 70 });
  });
  beforeEach(async () => {
    const listed = [{ proxyAddress: feed, decimals: 8 }, { proxyAddress: null }];
    fixture = await openFixture(() => json(listed), { startMs: (start + HOUR) * 1000 });
    return () => fixture.close();
  });
  afterAll(() => node.stop());

  const section = (chain: object, more: Partial<LiveSection> = {}): Partial<LiveSection> => ({
    chain: 'anvil',
    format: 'ndjson',
    window: { history: '1d', step: '1d', overlap: '1m' },
    fields: {},
    request: { url: node.url, chain: { id: CHAIN, ...chain } as never },
    ...more,
  });
  const bodyOf = (recording: Recording | undefined, page: RecordedPage | undefined): string => {
    if (recording === undefined || page === undefined) throw new Error('nothing was recorded');
    return gunzipSync(readFileSync(bodyPath(fixture.folder, recording, page))).toString();
  };
  const rowsOf = (recording: Recording | undefined): Record<string, unknown>[] => {
    const text = bodyOf(recording, recording?.pages.at(-1));
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const fetched = async (source: LiveSource) => {
    await fixture.start(source).once();
    return (await fixture.recordings()).findLast(({ urgency }) => urgency === 'tip');
  };

  it('yields the rounds of the feeds in a directory, together with the exact responses of the node', async () => {
    const chain = { read: 'feed_rounds', directory: 'https://api.example/feeds.json' };
    const source = sourceOf(section(chain, { table: 'feed_round' }));
    const recording = await fetched(source);
    expect(recording).toMatchObject({
      outcome: 'accepted',
      records: 3,
      block: { chain: String(CHAIN), tag: 'finalized' },
    });
    expect(
      rowsOf(recording)
        .map(({ answer }) => answer)
        .sort(),
    ).toEqual(['-5', '100', (2n ** 200n).toString()].sort());
    const [evidence] = recording?.pages ?? [];
    expect(evidence?.records).toBe(0);
    const calls = callsIn(bodyOf(recording, evidence));
    expect(calls.map(({ method }) => method)).toContain('eth_call');
    for (const { answer } of calls) expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0' });
    const deliveries = await Array.fromAsync(
      landingSources([source], fixture.folder, () => true)[0]?.deliveries({ from: 0, to: 4e9 }) ?? [],
    );
    expect(deliveries.length).toBeGreaterThan(0);
    expect(deliveries.length).toBe((await fixture.recordings()).filter(({ records }) => records > 0).length);
  });

  it('afterwards reads only what is new, from where the last reading ended', async () => {
    const chain = { read: 'vault_logs', contracts: [vault] };
    const source = sourceOf(section(chain, { table: 'vault_log', every: '5m' }));
    const first = await fetched(source);
    expect(rowsOf(first)).toHaveLength(2);
    const head = await node.client.getBlock({ blockTag: 'finalized' });
    expect(first?.window.to).toBe(Number(head.timestamp));
    await node.send('Vault', vault, 'setFee', 3n);
    await node.client.mine({ blocks: 70 });
    await fixture.clock.sleep(600_000);
    const second = await fetched(source);
    expect(rowsOf(second).map(({ data }) => data)).toContain(word(3));
    expect(second?.window.from).toBe((first?.window.to ?? 0) - 60);
  });

  it('starts where the last reading ended, and requests each round and block once', async () => {
    const feeds = sourceOf(
      section({ read: 'feed_rounds', contracts: [feed] }, { table: 'feed_round', every: '5m' }),
    );
    const first = await fetched(feeds);
    expect(rowsOf(first)).toHaveLength(3);
    await node.client.mine({ blocks: 70 });
    await fixture.clock.sleep(600_000);
    const second = await fetched(feeds);
    expect(second?.id).not.toBe(first?.id);
    expect(second?.records).toBe(0);
    expect((await fixture.recordings()).filter(({ records }) => records > 0)).toHaveLength(1);
  });

  it('names a feed that reverts, and reads all missed rounds once it responds again', async () => {
    const silent = await node.deploy('AggregatorProxy');
    const source = sourceOf(
      section({ read: 'feed_rounds', contracts: [feed, silent] }, { table: 'feed_round', every: '5m' }),
    );
    const first = await fetched(source);
    expect(first?.missing).toEqual([{ subject: silent, reason: expect.stringMatching(/does not return/) }]);
    expect(first?.records).toBe(3);
    const aggregator = await node.deploy('Aggregator', [8]);
    await node.send('AggregatorProxy', silent, 'confirm', aggregator);
    await node.send('Aggregator', aggregator, 'submit', [7n, 8n], [start + 10, start + 20]);
    await node.client.mine({ blocks: 70 });
    await fixture.clock.sleep(600_000);
    const second = await fetched(source);
    expect(second?.missing).toBeUndefined();
    expect(
      rowsOf(second)
        .map(({ answer }) => answer)
        .sort(),
    ).toEqual(['7', '8']);
  });

  it('fails when no feed can be read', async () => {
    const silent = await node.deploy('AggregatorProxy');
    await node.client.mine({ blocks: 70 });
    const source = sourceOf(section({ read: 'feed_rounds', contracts: [silent] }, { table: 'feed_round' }));
    const recording = await fetched(source);
    expect(recording?.outcome).toBe('failed');
    expect(recording?.reasons.join()).toMatch(/none of 1 feeds can be read/);
  });

  it('delivers registry entries of markets and vaults once, and again when they change', async () => {
    const usd = await node.deploy('Token', ['USDC', 6]);
    const morpho = await node.deploy('Morpho');
    const params = { loanToken: usd, collateralToken: usd, oracle: usd, irm: usd, lltv: 1n };
    const { logs } = await node.send('Morpho', morpho, 'createMarket', params);
    const meta = await node.deploy('MetaVault', [usd, feed]);
    await node.send('MetaVault', meta, 'enqueue', logs[0]?.topics[1]);
    await node.client.mine({ blocks: 70 });
    const chain = { read: 'morpho_markets', contracts: [morpho], vaults: [meta] };
    const { window: _, ...present } = section(chain, { table: 'lending_market', every: '5m' });
    const source = sourceOf(present);
    const tables = async () => {
      await fixture.clock.sleep(600_000);
      await node.client.mine({ blocks: 70 });
      return rowsOf(await fetched(source)).map(({ table }) => table);
    };
    const states = ['market_state', 'market_parameter'];
    expect(await tables()).toEqual(['lending_market', 'market_oracle', ...states, 'lending_vault']);
    expect(await tables()).toEqual(states);
    await node.send('MetaVault', meta, 'setCurator', usd);
    expect(await tables()).toEqual([...states, 'lending_vault']);
  });

  it('yields blocks and transactions, rows of several tables, in one recording', async () => {
    const recording = await fetched(sourceOf(section({ read: 'blocks' }, { table: 'network_a_block' })));
    const tables = rowsOf(recording).map(({ table }) => table);
    expect(new Set(tables)).toEqual(new Set(['network_a_block', 'network_a_transaction']));
  });

  it('waits when the chain has stood still since the start of a past window', async () => {
    await fixture.clock.sleep(6 * HOUR * 1000);
    for (const head of ['finalized', 'latest'] as const) {
      const chain = { read: 'vault_logs', contracts: [vault], head };
      const window = { history: '4h', step: '1h', overlap: '1m' };
      const source = {
        ...sourceOf(section(chain, { table: 'vault_log', window })),
        id: head,
        fetched_by: head,
      };
      await fixture.start(source).once();
      const past = (await fixture.recordings(head)).filter(({ urgency }) => urgency === 'history');
      expect(past.length).toBeGreaterThan(0);
      expect(past.length).toBeLessThan(10);
      expect(past.at(-1)?.reasons.join()).toMatch(/older than the blocks to read/);
    }
  });

  it('follows vaults to the newest block, even after a pause longer than its ring', async () => {
    const chain = { read: 'vault_logs', contracts: [vault], head: 'latest' };
    const source = sourceOf(section(chain, { table: 'vault_log', every: '5m' }));
    const truth = async () =>
      (await node.client.getLogs({ address: vault, fromBlock: 0n })).map(({ data }) => data).sort();
    const read = async () => {
      await fixture.start(source).once();
      return (await fixture.recordings())
        .flatMap((recording) => (recording.records === 0 ? [] : rowsOf(recording)))
        .map(({ data }) => data)
        .sort();
    };
    expect(await read()).toEqual(await truth());
    for (const fee of [11n, 12n, 13n]) {
      await node.send('Vault', vault, 'setFee', fee);
      await node.client.mine({ blocks: 120 });
    }
    await node.send('Vault', vault, 'setFee', 14n);
    await fixture.clock.sleep(600_000);
    expect(await read()).toEqual(await truth());
  });

  it('names a node of another chain and records no rows', async () => {
    const request = { url: node.url, chain: { id: 1, read: 'blocks' as const } };
    const recording = await fetched(sourceOf(section({}, { table: 'network_a_block', request })));
    expect(recording).toMatchObject({ outcome: 'failed', records: 0 });
    expect(recording?.reasons.join()).toMatch(/it is a node of chain 31337, not of 1/);
  });

  it('uses the next node when the first cannot be read', async () => {
    const request = {
      url: 'http://127.0.0.1:9',
      chain: { id: CHAIN, read: 'blocks' as const, nodes: [node.url] },
    };
    const recording = await fetched(sourceOf(section({}, { table: 'network_a_block', request })));
    expect(recording?.outcome).toBe('accepted');
    expect(recording?.pages.at(-1)?.request.url).toBe(node.url);
  });
});

describeOnNode('a source on a chain whose last final block is of the day before', () => {
  let node: Anvil;
  let vault: Address;
  beforeAll(async () => {
    node = await startAnvil(['--timestamp', String(MIDNIGHT - 10 * MINUTE)]);
    vault = await node.deploy('Vault', [word(1).slice(0, 42)]);
    await node.send('Vault', vault, 'setFee', 1n);
    await node.client.mine({ blocks: 70 });
  });
  afterAll(() => node.stop());

  it.each([0, 1, 19, 20])('is read to that block %i minutes after midnight', async (minutes) => {
    const fixture = await openFixture(() => json([]), { startMs: (MIDNIGHT + minutes * MINUTE) * 1000 });
    const source = sourceOf({
      table: 'vault_log',
      chain: 'anvil',
      format: 'ndjson',
      window: { history: '1d', step: '1d', overlap: '1m' },
      request: { url: node.url, chain: { id: CHAIN, read: 'vault_logs', contracts: [vault] } },
    });
    await fixture.start(source).once();
    const recordings = await fixture.recordings();
    const head = await node.client.getBlock({ blockTag: 'finalized' });
    expect(fixture.warnings).toEqual([]);
    expect(recordings.map(({ outcome }) => outcome)).not.toContain('failed');
    expect(Math.max(...recordings.map(({ window }) => window.to))).toBe(Number(head.timestamp));
    expect(recordings.reduce((sum, { records }) => sum + records, 0)).toBe(1);
    await fixture.close();
  });
});

/** The calls on a page of evidence, with their responses. */
function callsIn(text: string): { readonly method: string; readonly answer: string }[] {
  const calls: { method: string; answer: string }[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\n');
    const { method, bytes } = JSON.parse(rest.slice(0, end)) as { method: string; bytes: number };
    calls.push({ method, answer: rest.slice(end + 1, end + 1 + bytes) });
    rest = rest.slice(end + 2 + bytes);
  }
  return calls;
}

const problemsOfChain = (chain: object) =>
  problemsOfLiveSources(
    {
      mine: { table: 'vault_log', name: 'x', request: { url: 'https://node.example', chain }, fields: {} },
    },
    domains.flatMap(({ raw }) => raw),
  ).filter(({ where }) => where.startsWith('sources.mine.request.chain'));
const ADDRESS = `0x${'1'.repeat(40)}`;

it.each([
  [{ read: 'vault_logs' }, '', 'contracts, directory, vaults or vault_factories'],
  [{ read: 'feed_rounds' }, '', 'directory or contracts'],
  [{ read: 'vault_states' }, '', 'contracts'],
  [{ read: 'vault_states', contracts: [ADDRESS] }, '', 'directory, vaults or vault_factories'],
  [{ read: 'oracle_paths', contracts: [ADDRESS] }, '', 'directory, vaults, vault_factories or markets'],
  [
    { read: 'swaps', contracts: [ADDRESS], vaults: [ADDRESS] },
    '.vaults',
    'no vaults: the reading swaps does not use it',
  ],
  [
    { read: 'vault_logs', vaults: [ADDRESS], since: 5 },
    '.since',
    'vault_factories next to it: it is the first block with their logs',
  ],
  [
    { read: 'vault_states', contract: [ADDRESS] },
    '.contract',
    expect.stringMatching(/^one of id, read, .*contracts/),
  ],
  [
    { read: 'vault_states', contracts: [ADDRESS], vaults: ['0xvault'] },
    '.vaults[0]',
    'an address of 20 bytes in hex',
  ],
])('rejects the chain source %o, whose member%s is wrong', (chain, member, expected) => {
  expect(problemsOfChain({ id: 1, ...chain })).toEqual([
    expect.objectContaining({ where: `sources.mine.request.chain${member}`, expected }),
  ]);
});
