// Oracles read from a real node: legs, samples and scale are those that the contract multiplies, and give its price to the last digit.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oraclePrices } from '../../../../../../jobs/families/oracle-paths/enrichments.ts';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readOraclePathRows } from '../../../../../../jobs/sources/live/evm/chain-oracles.ts';
import { type Anvil, describeOnNode, startAnvil } from '../anvil.ts';

const NONE: Address = `0x${'0'.repeat(40)}`;
const YEAR_S = 31_536_000n;
type Row = { readonly [field: string]: unknown };

describeOnNode('oracles on a real node', () => {
  let node: Anvil;
  let morpho: Address;
  let usdc: Address;
  let oeth: Address;
  let factory: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    morpho = await node.deploy('Morpho');
    usdc = await node.deploy('Token', ['USDC', 6]);
    oeth = await node.deploy('Token', ['OETH', 18]);
    factory = await node.deploy('OracleFactory');
  });
  afterAll(() => node.stop());

  let markets = 0n;
  async function marketOf(oracle: Address, collateral: Address = oeth): Promise<Hex> {
    markets += 1n;
    const params = { loanToken: usdc, collateralToken: collateral, oracle, irm: NONE, lltv: markets };
    const { logs } = await node.send('Morpho', morpho, 'createMarket', params);
    return logs[0]?.topics[1] as Hex;
  }
  const feed = (decimals: number, description: string, answer: bigint) =>
    node.deploy('Feed', [decimals, description, answer]);
  const overFeeds = (feeds: readonly Address[], scale: bigint) =>
    node.deploy('OracleV2', [[NONE, NONE], [1n, 1n], feeds, scale]);

  async function read(...ids: readonly Hex[]) {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const { rows, missing } = await readOraclePathRows(node.rpc, {
      chain: {
        id: 31_337,
        read: 'oracle_paths',
        contracts: [morpho],
        factories: [factory],
        markets: [...ids],
      },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      historyS: 0,
      head,
      state: null,
      mappings: [],
      listed: { feeds: async () => [], vaults: async () => [] },
      now: () => head.timestamp,
    });
    const all = rows as readonly Row[];
    return {
      prices: all.filter(({ table }) => table === 'oracle_price'),
      legs: all.filter(({ table }) => table === 'oracle_leg'),
      missing,
    };
  }
  /** The price by the family's own arithmetic over the row. */
  async function computed(row: Row | undefined): Promise<unknown> {
    const columns = Object.fromEntries(
      oraclePrices.reads.map((name) => [name, [(row?.[name] ?? null) as string | null]]),
    );
    const filled = await oraclePrices.fill({ count: 1, columns }, new Uint8Array());
    return filled['computed_price']?.[0];
  }

  it('of Morpho over feeds give the price from their legs', async () => {
    const eth = await node.deploy('ProxyFeed', [8, 'ETH / USD', 3_000n * 10n ** 8n]);
    const usd = await node.deploy('ProxyFeed', [8, 'USDC / USD', 99_980_000n]);
    const oracle = await overFeeds([eth, NONE, usd, NONE], 10n ** 24n);
    await node.send('OracleFactory', factory, 'add', oracle);
    const { prices, legs, missing } = await read(await marketOf(oracle));
    expect(missing).toEqual([]);
    expect(prices).toEqual([
      expect.objectContaining({
        ...{
          price: '3000600120024004800960192038',
          kind: 'morpho_v2',
          kind_by: 'factory',
          changed_by: 'no_one',
        },
        ...{ leg_count: 2, scale_factor: String(10n ** 24n), loan_decimals: 6, collateral_decimals: 18 },
        ...{ base_factors: '300000000000', quote_factors: '99980000' },
      }),
    ]);
    expect(await computed(prices[0])).toBe('3000600120024004800960192038');
    expect(legs).toEqual([
      expect.objectContaining({
        ...{ leg_index: 0, side: 'base', role: 'feed', contract: eth, kind: 'chainlink', decimals: 8 },
        ...{ from_symbol: 'ETH', to_symbol: 'USD', pair_by: 'description', min_value: '1' },
      }),
      expect.objectContaining({ leg_index: 1, side: 'quote', contract: usd, from_symbol: 'USDC' }),
    ]);
  });

  it('of Morpho over vaults convert their sample, in decimals of the asset', async () => {
    const share = await node.deploy('ShareToken', ['vUSDC', 18, usdc, 1_020_000n]);
    const args = [[share, NONE], [10n ** 18n, 1n], [NONE, NONE, NONE, NONE], 10n ** 18n];
    const [right, coarse] = [
      await node.deploy('OracleV2', args),
      await node.deploy('OracleV2', [[share, NONE], [10n ** 12n, 1n], ...args.slice(2)]),
    ];
    const { prices, legs } = await read(await marketOf(right, share), await marketOf(coarse, share));
    expect(prices.map(({ price }) => price)).toEqual([String(102n * 10n ** 22n), String(10n ** 18n)]);
    expect(await Promise.all(prices.map(computed))).toEqual(prices.map(({ price }) => price));
    expect(legs).toEqual([
      expect.objectContaining({
        ...{ role: 'vault', kind: 'erc4626', value: '1020000', sample: String(10n ** 18n) },
        ...{ decimals: 6, share_decimals: 18, from_symbol: 'vUSDC', to_symbol: 'USDC', pair_by: 'token' },
      }),
      expect.objectContaining({ value: '1', sample: String(10n ** 12n) }),
    ]);
  });

  it('with swapped legs, a wrong scale or version 1 are read as they are', async () => {
    const [eth, paxg] = [
      await feed(8, 'USDC / ETH', 33_327n),
      await feed(8, 'PAXG / USD', 2_600n * 10n ** 8n),
    ];
    const [swapped, wrong] = [
      await overFeeds([eth, NONE, NONE, NONE], 10n ** 16n),
      await node.deploy('OracleV1', [paxg, 10n ** 28n]),
    ];
    const { prices } = await read(await marketOf(swapped), await marketOf(wrong));
    expect(prices).toEqual([
      expect.objectContaining({
        kind: 'morpho_v2',
        kind_by: 'interface',
        base_factors: '33327',
        quote_factors: '1',
      }),
      expect.objectContaining({ kind: 'morpho_v1', scale_factor: String(10n ** 28n), leg_count: 1 }),
    ]);
    expect(await Promise.all(prices.map(computed))).toEqual(prices.map(({ price }) => price));
  });

  it.each([
    [105_000_000n, '104000000'],
    [90_000_000n, '90000000'],
    [0n, '0'],
  ])('over a feed of %d that is capped at 1.04 show the cap and the feed below it', async (answer, value) => {
    const usd = await feed(8, 'USDC / USD', answer);
    const cap = await node.deploy('CapStable', [usd, 104_000_000n]);
    const { legs } = await read(await marketOf(await overFeeds([cap, NONE, NONE, NONE], 1n)));
    expect(legs).toEqual([
      expect.objectContaining({
        ...{ contract: cap, kind: 'capo_stable', cap: '104000000', value, parent_index: null },
        parameters: JSON.stringify({ feed_value: String(answer), cap: '104000000' }),
      }),
      expect.objectContaining({ contract: usd, parent_index: 0, value: String(answer) }),
    ]);
  });

  it('over a linear discount state what it follows from', async () => {
    const { timestamp } = await node.client.getBlock();
    const maturity = timestamp + YEAR_S;
    const linear = await node.deploy('PendleLinear', [maturity, 5n * 10n ** 16n]);
    const id = await marketOf(await overFeeds([linear, NONE, NONE, NONE], 1n));
    const { prices, legs } = await read(id);
    const left = maturity - BigInt(Number(prices[0]?.['observed_at']));
    expect(legs[0]).toMatchObject({
      ...{
        kind: 'pendle_linear',
        value: String(10n ** 18n - (left * 5n * 10n ** 16n) / YEAR_S),
        answered_at: 0,
      },
      parameters: JSON.stringify({ maturity: String(maturity), base_discount_per_year: '50000000000000000' }),
    });
  });

  it('that switch show the path in use and the one that stands by', async () => {
    const constant = await overFeeds([NONE, NONE, NONE, NONE], 10n ** 24n);
    const usd = await feed(8, 'USDe / USD', 95_000_000n);
    const market = await overFeeds([usd, NONE, NONE, NONE], 10n ** 16n);
    const meta = await node.deploy('MetaOracle', [constant, market]);
    const id = await marketOf(meta);
    const before = await read(id);
    expect(before.prices[0]).toMatchObject({
      ...{ price: String(10n ** 24n), kind: 'meta', leg_count: 1, base_factors: '1', quote_factors: '1' },
      ...{ standby_address: market, standby_price: String(95n * 10n ** 22n), challenge_timelock_s: 57_600 },
      ...{ changed_by: 'anyone', changed_how: 'challenge', change_delay_s: 57_600 },
    });
    expect(before.legs).toEqual([expect.objectContaining({ contract: usd, is_standby: true })]);
    await node.send('MetaOracle', meta, 'accept');
    const after = await read(id);
    expect(after.prices[0]).toMatchObject({ price: String(95n * 10n ** 22n), standby_address: constant });
    expect(after.legs).toEqual([expect.objectContaining({ contract: usd, is_standby: false })]);
  });

  it('that name each other, lie, revert or are no contracts are unknown, and keep what they answer', async () => {
    const constant = await overFeeds([NONE, NONE, NONE, NONE], 10n ** 24n);
    const first = await node.deploy('MetaOracle', [constant, constant]);
    const second = await node.deploy('MetaOracle', [first, constant]);
    await node.send('MetaOracle', first, 'route', second, constant);
    const oracles = [
      await node.deploy('Liar'),
      await node.deploy('Reverting'),
      `0x${'9'.repeat(40)}` as Address,
    ];
    const ids = await Array.fromAsync([...oracles, first], (oracle) => marketOf(oracle));
    const { prices, legs, missing } = await read(...ids);
    expect(missing).toEqual([]);
    expect(legs).toEqual([]);
    expect(prices.map(({ kind, price, unread_reason }) => [kind, price, unread_reason])).toEqual([
      ['unknown', '1', undefined],
      ['unknown', undefined, 'reverted'],
      ['unknown', undefined, 'reverted'],
      // Out of gas in the circle, it falls back.
      ['meta', String(10n ** 24n), undefined],
    ]);
    expect(prices[3]).not.toHaveProperty('leg_count');
  });

  it('whose feed reverts or is negative have no factors', async () => {
    const [negative, silent] = [await feed(8, 'X / USD', -5n), await node.deploy('Reverting')];
    const { prices, legs } = await read(
      await marketOf(await overFeeds([negative, NONE, NONE, NONE], 1n)),
      await marketOf(await overFeeds([silent, NONE, NONE, NONE], 1n)),
    );
    for (const row of prices) {
      expect(row).toMatchObject({ unread_reason: 'reverted', leg_count: 1 });
      expect(row).not.toHaveProperty('base_factors');
    }
    expect(legs.map(({ value, unread_reason }) => [value, unread_reason])).toEqual([
      ['-5', undefined],
      [undefined, 'reverted'],
    ]);
  });

  it('of markets that do not exist are named', async () => {
    const id: Hex = `0x${'5'.repeat(64)}`;
    expect((await read(id)).missing).toEqual([{ subject: id, reason: 'no such market' }]);
  });
});
