// Feeds behind the oracles of markets, read from contracts on a real node: adapters over feeds, adapters over adapters, other providers.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { readOracleFeeds } from '../../../../../jobs/sources/live/evm/oracle-feeds.ts';
import { aaveRows, readAave } from '../../../../../jobs/sources/live/evm/read-aave.ts';
import { readCalls } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { morphoRows, readMorpho } from '../../../../../jobs/sources/live/evm/read-morpho.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const NONE = `0x${'0'.repeat(40)}`;
const FEEDS = [1, 2, 3].map((number) => `0x${String(number).repeat(40)}` as Address);
const [FIRST = NONE, SECOND = NONE, THIRD = NONE] = FEEDS;

describeOnNode('feeds behind oracles', () => {
  let node: Anvil;
  let usd: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    usd = await node.deploy('Token', ['USDC', 6]);
  });
  afterAll(() => node.stop());

  const head = () => readHead(node.rpc, { confirmations: 0 });

  it('are found through nested adapters, with one call per level', async () => {
    const cap = await node.deploy('CapAdapter', [FIRST]);
    const oracle = await node.deploy('MorphoOracle', [cap, SECOND, THIRD, NONE]);
    const pyth = await node.deploy('PythOracle');
    const { value, exchanges } = await readCalls(node.rpc, { head: await head() }, (ask) =>
      readOracleFeeds(ask, [oracle, cap, pyth, usd]),
    );
    expect([...value]).toEqual([
      [oracle, [FIRST, SECOND, THIRD]],
      [cap, [FIRST]],
    ]);
    expect(exchanges.filter(({ method }) => method === 'eth_call').length).toBe(2);
  });

  it('of Morpho are rows of new markets, one for each feed', async () => {
    const morpho = await node.deploy('Morpho');
    const oracle = await node.deploy('MorphoOracle', [FIRST, NONE, SECOND, NONE]);
    const params = { loanToken: usd, collateralToken: usd, oracle, irm: NONE, lltv: 1n };
    const { logs } = await node.send('Morpho', morpho, 'createMarket', params);
    const id = logs[0]?.topics[1] as string;
    const to = await head();
    const rowsOf = async (known: ReadonlySet<string>) => {
      const reading = await readMorpho(node.rpc, { morpho, ids: [id], head: to, known });
      const fresh = new Set([id].filter((one) => !known.has(one)));
      return morphoRows({ chain: 'anvil', protocol: 'morpho', fresh }, reading).market_oracle;
    };
    const at = { chain: 'anvil', market_id: id, observed_at: to.timestamp, oracle_address: oracle };
    expect(await rowsOf(new Set())).toEqual([
      { ...at, feed_address: FIRST },
      { ...at, feed_address: SECOND },
    ]);
    expect(await rowsOf(new Set([id]))).toEqual([]);
  });

  it('of Aave are found behind the source of each price', async () => {
    const oracle = await node.deploy('AaveOracle');
    const data = await node.deploy('AaveDataProvider');
    const provider = await node.deploy('AaveMarket', [data, oracle]);
    const eth = await node.deploy('Token', ['WETH', 18]);
    const cap = await node.deploy('CapAdapter', [FIRST]);
    const amounts = ['decimals', 'ltv', 'threshold', 'bonus', 'reserveFactor', 'borrowCap', 'supplyCap'];
    const debts = ['supplied', 'stableDebt', 'variableDebt', 'liquidityRate', 'borrowRate', 'debtCeiling'];
    const reserve = {
      ...Object.fromEntries([...amounts, ...debts, 'protocolFee'].map((name) => [name, 6n])),
      ...{ active: true, frozen: false, paused: false, borrowing: true, siloed: false },
    };
    const tokens = [21, 22].map((number) => word(number).replace(/^0x0{24}/, '0x'));
    for (const [index, [symbol, asset, source]] of [
      ['USDC', usd, cap] as const,
      ['WETH', eth, SECOND] as const,
    ].entries()) {
      const entry = { ...reserve, aToken: tokens[index] };
      await node.send('AaveDataProvider', data, 'setReserve', symbol, asset, entry);
      await node.send('AaveOracle', oracle, 'setSource', asset, source);
    }
    const to = await head();
    const reading = await readAave(node.rpc, { provider, head: to });
    const rows = aaveRows({ chain: 'anvil', protocol: 'aave', fresh: new Set(tokens) }, reading);
    const at = { chain: 'anvil', observed_at: to.timestamp };
    expect(rows.market_oracle).toEqual([
      { ...at, market_id: tokens[0], oracle_address: cap, feed_address: FIRST },
      { ...at, market_id: tokens[1], oracle_address: SECOND, feed_address: null },
    ]);
  });
});
