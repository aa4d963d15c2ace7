// Readings that follow each other: prices are in every one, legs in those in which a market is new, its turn has come, or something changed.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Rpc, RpcError } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { describeOnNode } from '../anvil.ts';
import { computedPrice, NONE, type OracleRows, OracleWorld } from './oracle-world.ts';

const DAY_S = 86_400n;
const ADMIN = `0x${'ad'.repeat(20)}`;

describeOnNode('readings of oracles that follow each other', () => {
  let world: OracleWorld;
  let feed: Address;
  let market: Hex;
  let first: OracleRows;
  beforeAll(async () => {
    world = await OracleWorld.open();
    feed = await world.node.deploy('PlainFeed', [8, 1_000n]);
    market = await world.market(await world.over(feed));
    first = await world.read([market]);
  });
  afterAll(() => world.node.stop());

  const set = (answer: bigint) => world.node.send('PlainFeed', feed, 'set', answer);

  it('contain the price alone while nothing has changed', async () => {
    await set(1_019n);
    const { prices, legs } = await world.read([market], { state: first.state });
    expect(first.legs).toHaveLength(1);
    expect(legs).toEqual([]);
    expect(prices).toEqual([
      expect.objectContaining({ price: '1019', kind: 'morpho_v2', kind_by: 'interface', loan_decimals: 6 }),
    ]);
    for (const name of ['leg_count', 'scale_factor', 'base_factors', 'code_hash'])
      expect(prices[0]).not.toHaveProperty(name);
  });

  it('contain the legs when the price jumps by two percent, and when it disappears', async () => {
    await set(1_020n);
    const jumped = await world.read([market], { state: first.state });
    expect(jumped.legs).toEqual([expect.objectContaining({ value: '1020' })]);
    expect(await computedPrice(jumped.prices[0])).toBe('1020');
    await set(-1n);
    const gone = await world.read([market], { state: jumped.state });
    expect(gone.prices).toEqual([expect.objectContaining({ unread_reason: 'reverted', leg_count: 1 })]);
    expect((await world.read([market], { state: gone.state })).legs).toEqual([]);
    await set(1_000n);
  });

  it('contain the legs of every market once within the next day, and again a day later', async () => {
    const ids = await Array.fromAsync({ length: 4 }, async () => world.market(await world.over(feed)));
    let { state } = await world.read(ids);
    const seen: number[] = [];
    const start = await world.now();
    for (let hour = 1n; hour <= 49n; hour++) {
      await world.moveTo(start + hour * 3_600n);
      const read = await world.read(ids, { state });
      expect(read.prices).toHaveLength(4);
      seen.push(read.legs.length);
      state = read.state;
    }
    const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
    expect([sum(seen.slice(0, 25)), sum(seen.slice(25))]).toEqual([4, 4]);
  });

  it('state what runs behind a proxy, and what has run since it was replaced', async () => {
    const [old, next] = [
      await world.node.deploy('RedStone', [`0x${'0'.repeat(64)}`, 5n]),
      await world.node.deploy('PythFeed', [5n]),
    ];
    const proxy = await world.node.deploy('AdminProxy', [old, ADMIN]);
    const id = await world.market(await world.over(proxy));
    const before = await world.read([id]);
    expect(before.legs).toEqual([
      expect.objectContaining({ implementation: old, changed_by: ADMIN, changed_how: 'proxy_admin' }),
    ]);
    await world.node.send('AdminProxy', proxy, 'upgrade', next);
    await world.moveTo((await world.now()) + DAY_S + 3_600n);
    const after = await world.read([id], { state: before.state });
    expect(after.legs).toEqual([expect.objectContaining({ implementation: next })]);
    expect(after.legs[0]?.['code_hash']).not.toBe(before.legs[0]?.['code_hash']);
    expect(after.prices[0]?.['code_hash']).toBe(before.prices[0]?.['code_hash']);
  });

  it('follow an oracle that switches when it does', async () => {
    const [constant, other] = [await world.over([NONE, NONE, NONE, NONE], 1_000n), await world.over(feed)];
    const meta = await world.node.deploy('MetaOracle', [constant, other]);
    const id = await world.market(meta);
    const { state } = await world.read([id]);
    expect((await world.read([id], { state })).legs).toEqual([]);
    await world.node.send('MetaOracle', meta, 'accept');
    const after = await world.read([id], { state });
    expect(after.legs).toEqual([expect.objectContaining({ contract: feed, is_standby: false })]);
  });

  it('fail as a whole when the node refuses a part, and lose nothing that was known', async () => {
    const failing: Rpc = (method, params) =>
      method === 'eth_call'
        ? Promise.reject(new RpcError('429 too many requests'))
        : world.node.rpc(method, params);
    await expect(world.read([market], { state: first.state, rpc: failing })).rejects.toThrow(/429/);
    expect((await world.read([market], { state: first.state })).prices).toHaveLength(1);
  });

  it('leave out markets that are no longer asked for, and name those that do not exist', async () => {
    const none: Hex = `0x${'5'.repeat(64)}`;
    const read = await world.read([none], { state: first.state });
    expect(read.prices).toEqual([]);
    expect(read.missing).toEqual([{ subject: none, reason: 'no such market' }]);
  });
});
