// A directory of feeds that loses most of its proxies, on a real node: the feeds read before continue to be read.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyPath } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { json } from './http/replay-server.ts';
import { type Anvil, describeOnNode, startAnvil } from './evm/anvil.ts';
import { openFixture, sourceOf } from './fetching-fixture.ts';

const CHAIN = 31_337;
const HOUR = 3_600;
const NOON = Date.UTC(2026, 0, 10, 12) / 1000;

describeOnNode('a directory of feeds', () => {
  let node: Anvil;
  const feeds: Address[] = [];
  beforeAll(async () => {
    node = await startAnvil(['--timestamp', String(NOON)]);
    await node.installMulticall();
    for (let index = 0; index < 4; index++) {
      const aggregator = await node.deploy('Aggregator', [8]);
      const proxy = await node.deploy('AggregatorProxy');
      await node.send('AggregatorProxy', proxy, 'confirm', aggregator);
      await node.send('Aggregator', aggregator, 'submit', [BigInt(index + 1)], [NOON + index]);
      feeds.push(proxy);
    }
  });
  afterAll(() => node.stop());

  /** Each list has its own address, because a directory is cached by address for half a day. */
  const sourceReading = (list: string) =>
    sourceOf({
      table: 'feed_round',
      chain: 'anvil',
      every: '5m',
      format: 'ndjson',
      window: { history: '1d', step: '1d', overlap: '1m' },
      request: {
        url: node.url,
        chain: { id: CHAIN, read: 'feed_rounds', directory: `https://api.example/${list}` },
      },
    });

  it('that loses most of its proxies removes no feed, but may lose half of them', async () => {
    let listed: readonly Address[] = feeds;
    const fixture = await openFixture(
      () => json(listed.map((proxyAddress) => ({ proxyAddress, decimals: 8 }))),
      { startMs: (NOON + HOUR) * 1000 },
    );
    /** Number of feeds requested from the node. */
    const asked = async (count: number) => {
      listed = feeds.slice(0, count);
      await fixture.clock.sleep(600_000);
      await node.client.mine({ blocks: 70 });
      await fixture.start(sourceReading(`of-${count}`)).once();
      const last = (await fixture.recordings()).findLast(({ urgency }) => urgency === 'tip');
      const [evidence] = last?.pages ?? [];
      if (last === undefined || evidence === undefined) throw new Error('nothing was read');
      const text = gunzipSync(readFileSync(bodyPath(fixture.folder, last, evidence))).toString();
      return feeds.filter((one) => text.includes(one.slice(2).toLowerCase())).length;
    };
    expect(await asked(4)).toBe(4);
    expect(await asked(2)).toBe(2);
    expect(await asked(1)).toBe(4);
    await fixture.close();
  });
});
