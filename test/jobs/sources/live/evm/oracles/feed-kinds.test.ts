// Feeds of every kind on a real node: each is recognised, and our own arithmetic gives its answer to the last digit.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnNode } from '../anvil.ts';
import { computedPrice, computedValue, NONE, type OracleRows, OracleWorld } from './oracle-world.ts';

const DAY_S = 86_400n;
const E18 = 10n ** 18n;

describeOnNode('feeds on a real node', () => {
  let world: OracleWorld;
  beforeAll(async () => {
    world = await OracleWorld.open();
  });
  afterAll(() => world.node.stop());

  const deploy = (name: string, ...args: unknown[]) => world.node.deploy(name, args);
  const plain = (answer: bigint, decimals = 8) => deploy('PlainFeed', decimals, answer);
  async function readOver(...feeds: readonly Address[]): Promise<OracleRows> {
    const ids = await Array.fromAsync(feeds, async (feed) => world.market(await world.over(feed)));
    return world.read(ids);
  }
  const topLegs = ({ legs }: OracleRows) => legs.filter(({ parent_index }) => parent_index === null);
  /** Every adapter among them is computed, and every price. */
  async function expectExact(read: OracleRows) {
    for (const leg of topLegs(read)) expect(await computedValue(leg)).toBe(leg['value']);
    for (const row of read.prices) expect(await computedPrice(row)).toBe(row['price']);
  }

  it('that cap the growth of a rate', async () => {
    const base = await plain(E18, 18);
    const at = (await world.now()) + 1_000n;
    const snapshot = 1_191_916_000_000_000_000n;
    const capped = await deploy('CapRate', base, 1_228_920_000_000_000_000n, snapshot, at - 7n * DAY_S, 868n);
    const free = await deploy('CapRate', base, 1_192_000_000_000_000_000n, snapshot, at - 7n * DAY_S, 868n);
    const empty = await deploy('CapRate', await plain(0n), E18, snapshot, at - 7n * DAY_S, 868n);
    const ids = await Array.fromAsync([capped, free, empty], async (one) =>
      world.market(await world.over(one)),
    );
    await world.moveTo(at);
    const read = await world.read(ids);
    expect(topLegs(read).map(({ kind, value }) => [kind, value])).toEqual([
      ['capo_rate', '1193900131949589040'],
      ['capo_rate', '1192000000000000000'],
      ['capo_rate', '0'],
    ]);
    expect(JSON.parse(String(read.legs[0]?.['parameters']))).toEqual({
      ...{ feed_value: String(E18), ratio: '1228920000000000000', ratio_decimals: '18' },
      ...{ snapshot_ratio: String(snapshot), snapshot_at: String(at - 7n * DAY_S) },
      max_growth_per_second_scaled: '3280641451040081',
    });
    expect(read.legs[0]).toMatchObject({ changed_how: 'risk_admin' });
    await expectExact(read);
  });

  it('that cap a price in terms of the euro, and by a discount', async () => {
    const [asset, euro] = [await plain(112_000_000n), await plain(105_000_000n)];
    const at = (await world.now()) + 1_000n;
    const eur = await deploy('CapEur', asset, euro, 1_040_000_000_000_000_000n);
    const discount = await deploy('CapPendle', asset, at + 90n * DAY_S, 50_000_000_000_000_000n);
    const ids = await Array.fromAsync([eur, discount], async (one) => world.market(await world.over(one)));
    await world.moveTo(at);
    const read = await world.read(ids);
    expect(topLegs(read).map(({ kind, value }) => [kind, value])).toEqual([
      ['capo_eur', '109200000'],
      ['capo_pendle', '110619178'],
    ]);
    expect(read.legs.map(({ contract, parent_index }) => [contract, parent_index])).toEqual([
      ...[
        [eur, null],
        [asset, 0],
        [euro, 0],
      ],
      ...[
        [discount, null],
        [asset, 0],
      ],
    ]);
    await expectExact(read);
  });

  it('that discount with the time left, also behind a wrapper', async () => {
    const at = (await world.now()) + 1_000n;
    const cases = [
      [90n, 50_000_000_000_000_000n, '987671232876712329'],
      [100n, 300_000_000_000_000_000n, '917808219178082192'],
      [132n, 300_000_000_000_000_000n, '891506849315068494'],
      [0n, 300_000_000_000_000_000n, String(E18)],
      [-1n, 300_000_000_000_000_000n, String(E18)],
      [365n, E18, '0'],
    ] as const;
    const linear = await Array.fromAsync(cases, ([days, rate]) =>
      deploy('PendleLinear', at + days * DAY_S, rate),
    );
    const [first = NONE] = linear;
    const wrapped = await deploy('LinearWrapper', first);
    const strange = await deploy('LinearWrapper', await plain(5n));
    const ids = await Array.fromAsync([...linear, wrapped, strange], async (one) =>
      world.market(await world.over(one)),
    );
    await world.moveTo(at);
    const read = await world.read(ids);
    expect(topLegs(read).map(({ kind, value }) => [kind, value])).toEqual([
      ...cases.map(([, , value]) => ['pendle_linear', value]),
      ['pendle_linear', cases[0][2]],
      ['unknown', '5'],
    ]);
    await expectExact({ ...read, legs: read.legs.filter(({ contract }) => contract !== strange) });
  });

  it('that are a fixed price, a mean over a window, or an auction of updates', async () => {
    const source = await plain(300_000_000_000n);
    const read = await readOver(
      await deploy('FixedPrice', 100_000_000n),
      await deploy('PendleTwap', await plain(99_900_000n), 970_445_530_000_000_000n),
      await deploy('Oval', source),
    );
    expect(topLegs(read)).toEqual([
      expect.objectContaining({ kind: 'constant', value: '100000000', changed_how: 'pool_admin' }),
      expect.objectContaining({ kind: 'pendle_twap', value: '969475084470000000' }),
      expect.objectContaining({ kind: 'oval', value: '3000000000000000000000', changed_how: 'immutable' }),
    ]);
    expect(read.legs.filter(({ parent_index }) => parent_index !== null)).toEqual([
      expect.objectContaining({ value: '99900000' }),
      expect.objectContaining({ contract: source, value: '300000000000' }),
    ]);
    expect(await computedValue(topLegs(read)[0])).toBe('100000000');
  });

  it('of RedStone, Pyth and API3, with rates of redemption apart', async () => {
    const idOf = (text: string) => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
    const read = await readOver(
      await deploy('RedStone', idOf('ETH'), 5n),
      await deploy('RedStone', idOf('weETH_FUNDAMENTAL'), 6n),
      await deploy('PythFeed', 7n),
      await deploy('Api3Feed', 8n),
    );
    expect(read.legs.map(({ kind, value, decimals }) => [kind, value, decimals])).toEqual([
      ...[
        ['redstone', '5', 8],
        ['rate', '6', 8],
        ['pyth', '7', 8],
        ['api3', '8', 18],
      ],
    ]);
    await Promise.all(read.prices.map(async (row) => expect(await computedPrice(row)).toBe(row['price'])));
  });

  it('that answer only to those who are on their list are read in the name of the oracle', async () => {
    const [open, closed] = [await deploy('Chronicle', 42n * E18), await deploy('Chronicle', 43n * E18)];
    const [allowed, refused] = [await world.over(open), await world.over(closed)];
    await world.node.send('Chronicle', open, 'kiss', allowed);
    const read = await world.read([await world.market(allowed), await world.market(refused)]);
    expect(read.prices).toEqual([
      expect.objectContaining({ price: String(42n * E18), base_factors: String(42n * E18) }),
      expect.objectContaining({ unread_reason: 'reverted', leg_count: 1 }),
    ]);
    expect(read.legs).toEqual([
      expect.objectContaining({ kind: 'chronicle', value: String(42n * E18) }),
      expect.objectContaining({ kind: 'chronicle', unread_reason: 'tolled' }),
    ]);
    expect(read.legs[1]).not.toHaveProperty('value');
    expect(await computedPrice(read.prices[0])).toBe(String(42n * E18));
  });

  it('that read themselves, or more adapters than can be followed, have an end', async () => {
    const [first, second] = [await deploy('Circle'), await deploy('Circle')];
    await world.node.send('Circle', first, 'point', second);
    await world.node.send('Circle', second, 'point', first);
    let deep = await plain(1n);
    for (let level = 0; level < 6; level++) deep = await deploy('LinearWrapper', deep);
    const circle = await readOver(first);
    expect(circle.legs.map(({ kind, unread_reason }) => [kind, unread_reason])).toEqual([
      ...[
        ['unknown', undefined],
        ['unknown', undefined],
        ['unknown', 'cycle'],
      ],
    ]);
    const { legs } = await readOver(deep);
    expect(legs.at(-1)).toMatchObject({ unread_reason: 'too_deep', leg_index: 5, parent_index: 4 });
  });

  it('near the lowest answer that they can give state their bounds', async () => {
    const read = await readOver(await deploy('BoundedFeed', 10_000_000n, 10_700_000n));
    expect(read.legs).toEqual([
      expect.objectContaining({ kind: 'chainlink', value: '10700000', min_value: '10000000' }),
    ]);
  });
});
