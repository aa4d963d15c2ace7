// Price sources of Aave's markets on a real node: which feed the oracle reads for each asset, and another one after it has been set.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readAaveOracleRows } from '../../../../../../jobs/sources/live/evm/chain-oracles.ts';
import type { Ask } from '../../../../../../jobs/sources/live/evm/contract-call.ts';
import { readAavePaths } from '../../../../../../jobs/sources/live/evm/oracles/aave-oracles.ts';
import { contractFunction } from '../../../../../../platform/base/contract-abi.ts';
import { describeOnNode, word } from '../anvil.ts';
import { computedPrice, OracleWorld, type Row } from './oracle-world.ts';

const [A_WETH, A_USDC] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`];
const NOTHING = Object.fromEntries(
  [
    ...['decimals', 'ltv', 'threshold', 'bonus', 'reserveFactor', 'borrowCap', 'supplyCap', 'supplied'],
    ...['stableDebt', 'variableDebt', 'liquidityRate', 'borrowRate', 'debtCeiling', 'protocolFee'],
  ].map((name) => [name, 0n]),
);
const FLAGS = { active: true, frozen: false, paused: false, borrowing: true, siloed: false };

describeOnNode('price sources of Aave', () => {
  let world: OracleWorld;
  let provider: Address;
  let oracle: Address;
  let cap: Address;
  let feed: Address;
  beforeAll(async () => {
    world = await OracleWorld.open();
    const { node } = world;
    oracle = await node.deploy('AavePrices');
    const data = await node.deploy('AaveDataProvider');
    provider = await node.deploy('AaveMarket', [data, oracle]);
    feed = await node.deploy('PlainFeed', [8, 105_000_000n]);
    cap = await node.deploy('CapEur', [feed, feed, 900_000_000_000_000_000n]);
    for (const [symbol, asset, aToken, source] of [
      ['WETH', world.weth, A_WETH, await node.deploy('PlainFeed', [8, 300_000_000_000n])],
      ['USDC', world.usdc, A_USDC, cap],
    ] as const) {
      await node.send('AaveDataProvider', data, 'setReserve', symbol, asset, {
        ...NOTHING,
        ...FLAGS,
        aToken,
      });
      await node.send('AavePrices', oracle, 'setSource', asset, source);
    }
  });
  afterAll(() => world.node.stop());

  async function read(contracts: readonly Address[], state: unknown = null) {
    const head = await readHead(world.node.rpc, { confirmations: 0 });
    const reading = await readAaveOracleRows(world.node.rpc, {
      chain: { id: 31_337, read: 'aave_oracles', contracts: [...contracts] },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      ...{ historyS: 0, head, state, mappings: [], now: () => head.timestamp },
      listed: { feeds: async () => [], vaults: async () => [] },
    });
    const rows = reading.rows as readonly Row[];
    return {
      prices: rows.filter(({ table }) => table === 'oracle_price'),
      legs: rows.filter(({ table }) => table === 'oracle_leg'),
      ...{ missing: reading.missing, state: reading.state },
    };
  }

  it('give the price of each asset in USD, with what caps it', async () => {
    const { prices, legs, missing, state } = await read([provider]);
    expect(missing).toEqual([]);
    expect(prices).toEqual([
      expect.objectContaining({
        ...{ market_id: A_WETH, oracle_address: oracle, price: '300000000000', kind: 'aave' },
        ...{ kind_by: 'registry', price_decimals: 8, scale_factor: '1', base_factors: '300000000000' },
      }),
      expect.objectContaining({ market_id: A_USDC, price: '94500000', leg_count: 3 }),
    ]);
    for (const row of prices) expect(await computedPrice(row)).toBe(row['price']);
    expect(legs.map(({ market_id, kind, contract }) => [market_id, kind, contract])).toEqual([
      [A_WETH, 'unknown', expect.any(String)],
      [A_USDC, 'capo_eur', cap],
      [A_USDC, 'unknown', feed],
      [A_USDC, 'unknown', feed],
    ]);
    await world.node.send('AavePrices', oracle, 'setSource', world.usdc, feed);
    const after = await read([provider], state);
    expect(after.legs.filter(({ market_id }) => market_id === A_USDC)).toEqual([
      expect.objectContaining({ contract: feed, value: '105000000' }),
    ]);
  });

  it('of a contract that is no market are named, and none at all is an error', async () => {
    expect((await read([provider, feed])).missing).toEqual([
      { subject: feed, reason: "it names no data provider and no oracle as Aave's addresses providers do" },
    ]);
    await expect(read([feed])).rejects.toThrow(/no oracle can be read: .*it names no data provider/);
  });
});

const EMPTY_LIST = `${word(32)}${word(0).slice(2)}`;
const MARKET: Readonly<Record<string, string>> = {
  getPoolDataProvider: word(7),
  getPriceOracle: word(8),
  getAllReservesTokens: EMPTY_LIST,
  BASE_CURRENCY_UNIT: word(10n ** 8n),
};
const marketWith =
  (changes: Readonly<Record<string, string | null>>): Ask =>
  (calls) => {
    const answers = new Map(
      Object.entries({ ...MARKET, ...changes }).map(([name, data]) => [
        contractFunction(name, {}, 'bool').selector,
        data,
      ]),
    );
    return Promise.resolve(
      calls.map(({ data }) => {
        const found = answers.get(data) ?? null;
        return { isSuccess: found !== null, data: found ?? '0x' };
      }),
    );
  };

test.each([
  [{}, 'its data provider 0x0000000000000000000000000000000000000007 lists no reserves'],
  [
    { getAllReservesTokens: null },
    'its data provider 0x0000000000000000000000000000000000000007 lists no reserves',
  ],
  [{ getPriceOracle: word(0) }, "it names no data provider and no oracle as Aave's addresses providers do"],
])('a market with %o is named, and has no oracles', async (changes, why) => {
  const id = `0x${'a'.repeat(40)}`;
  expect(await readAavePaths(marketWith(changes), [id])).toEqual({ paths: [], missing: [{ id, why }] });
});
