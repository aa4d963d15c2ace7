// Lending markets read from contracts on a real node: amounts and parameters digit by digit, and markets that cannot be read.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Header, readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { readLogWindows } from '../../../../../jobs/sources/live/evm/log-windows.ts';
import { aaveRows, readAave } from '../../../../../jobs/sources/live/evm/read-aave.ts';
import { readCalls } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { CREATE_MARKET, morphoRows, readMorpho } from '../../../../../jobs/sources/live/evm/read-morpho.ts';
import { readVaults, vaultRows } from '../../../../../jobs/sources/live/evm/read-vaults.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const ORACLE = `0x${'0'.repeat(39)}7`;
const NONE = `0x${'0'.repeat(40)}`;
const WAD = 10n ** 18n;
const RAY = 10n ** 27n;

describeOnNode('lending markets on a real node', () => {
  let node: Anvil;
  let usd: Address;
  let eth: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    usd = await node.deploy('Token', ['USDC', 6]);
    eth = await node.deploy('Token', ['WETH', 18]);
  });
  afterAll(() => node.stop());

  const head = () => readHead(node.rpc, { confirmations: 0 });
  const createMarket = async (morpho: Address, params: object): Promise<string> => {
    const { logs } = await node.send('Morpho', morpho, 'createMarket', params);
    return logs[0]?.topics[1] as string;
  };
  const marketIds = async (morpho: Address, to: Header) => {
    const plan = {
      filter: { addresses: [morpho], topics: [CREATE_MARKET] },
      from: 0,
      head: to,
      checkpoint: null,
    };
    const windows = await Array.fromAsync(readLogWindows(node.rpc, plan));
    return windows.flatMap(({ logs }) => logs.map(({ topics }) => topics[1] as string));
  };

  it('of Morpho are found by their logs and read with exact amounts', async () => {
    const morpho = await node.deploy('Morpho');
    const lltv = (WAD * 86n) / 100n;
    const params = { loanToken: usd, collateralToken: eth, oracle: ORACLE, irm: NONE, lltv };
    const id = await createMarket(morpho, params);
    const idle = await createMarket(morpho, { ...params, collateralToken: NONE, oracle: NONE, lltv: 0n });
    await node.send('Morpho', morpho, 'set', id, 123_456_789_012_345n, 98_765_432_109_876n, WAD / 10n);
    const to = await head();
    expect(await marketIds(morpho, to)).toEqual([id, idle]);
    const ids = [id, idle, word(5)];
    const reading = await readMorpho(node.rpc, { morpho, ids, head: to });
    expect(reading.value.missing).toEqual([{ id: word(5), why: 'no such market' }]);
    const rows = morphoRows({ chain: 'anvil', protocol: 'morpho', fresh: new Set([id]) }, reading);
    const at = { chain: 'anvil', market_id: id, observed_at: to.timestamp };
    const assets = { loan_asset: usd, loan_symbol: 'USDC', collateral_asset: eth, collateral_symbol: 'WETH' };
    expect(rows.lending_market).toEqual([{ ...at, protocol: 'morpho', ...assets, lltv: '0.86' }]);
    expect(rows.market_oracle).toEqual([{ ...at, oracle_address: ORACLE, feed_address: null }]);
    expect(rows.market_state).toEqual([
      { ...at, block_number: to.number, supplied: '123456789.012345', borrowed: '98765432.109876' },
      { ...at, market_id: idle, block_number: to.number, supplied: '0', borrowed: '0' },
    ]);
    expect(rows.market_parameter[0]).toEqual({
      ...at,
      loan_to_value: '0.86',
      liquidation_threshold: '0.86',
      reserve_factor: '0.1',
    });
  });

  it('of Morpho are reported as missing when their token has no symbol or decimals', async () => {
    const morpho = await node.deploy('Morpho');
    const params = { loanToken: ORACLE, collateralToken: eth, oracle: ORACLE, irm: NONE, lltv: 1n };
    const id = await createMarket(morpho, params);
    const { value } = await readMorpho(node.rpc, { morpho, ids: [id], head: await head() });
    expect(value.markets).toEqual([]);
    expect(value.missing[0]?.why).toMatch(/does not return its symbol and decimals/);
  });

  const reserve = {
    ...{ decimals: 6n, ltv: 7_500n, threshold: 7_800n, bonus: 10_450n, reserveFactor: 1_000n },
    ...{
      borrowCap: 900n,
      supplyCap: 1_000n,
      supplied: 5_000_000_001n,
      stableDebt: 1n,
      variableDebt: 4_000_000_000n,
    },
    ...{
      liquidityRate: (RAY * 35n) / 1000n,
      borrowRate: RAY / 20n,
      debtCeiling: 12_345n,
      protocolFee: 1_000n,
    },
    ...{ active: true, frozen: false, paused: true, borrowing: true, siloed: false },
  };

  it('of Aave come with amounts, rates, caps and parameters', async () => {
    const provider = await node.deploy('AaveDataProvider');
    const aToken = word(11).replace(/^0x0{24}/, '0x') as Hex;
    await node.send('AaveDataProvider', provider, 'setReserve', 'USDC', usd, { ...reserve, aToken });
    const to = await head();
    const reading = await readAave(node.rpc, { provider, head: to });
    const rows = aaveRows({ chain: 'anvil', protocol: 'aave', fresh: new Set([aToken]) }, reading);
    const at = { chain: 'anvil', market_id: aToken, observed_at: to.timestamp };
    expect(reading.value.missing).toEqual([]);
    expect(rows.lending_market).toEqual([{ ...at, protocol: 'aave', loan_asset: usd, loan_symbol: 'USDC' }]);
    expect(rows.market_state).toEqual([
      {
        ...at,
        block_number: to.number,
        supplied: '5000.000001',
        borrowed: '4000.000001',
        supply_apr_pct: '3.5',
        borrow_apr_pct: '5',
      },
    ]);
    expect(rows.market_parameter).toEqual([
      {
        ...at,
        ...{ loan_to_value: '0.75', liquidation_threshold: '0.78', liquidation_bonus: '0.045' },
        ...{ reserve_factor: '0.1', liquidation_protocol_fee: '0.1', supply_cap: '1000', borrow_cap: '900' },
        ...{ debt_ceiling: '123.45', is_active: true, is_frozen: false, is_paused: true },
        ...{ is_borrowing_enabled: true, is_siloed: false },
      },
    ]);
  });

  it('of Aave are read through the data provider in use', async () => {
    const [old, current] = [await node.deploy('AaveDataProvider'), await node.deploy('AaveDataProvider')];
    const addresses = await node.deploy('AaveAddresses', [old]);
    const aToken = word(12).replace(/^0x0{24}/, '0x') as Hex;
    await node.send('AaveDataProvider', current, 'setReserve', 'USDC', usd, { ...reserve, aToken });
    const before = await readAave(node.rpc, { provider: addresses, head: await head() });
    expect(before.value.reserves).toEqual([]);
    await node.send('AaveAddresses', addresses, 'replace', current);
    const { value } = await readAave(node.rpc, { provider: addresses, head: await head() });
    expect(value.reserves.map((one) => one.aToken)).toEqual([aToken]);
  });

  it('of vaults are the ones the vaults may withdraw from, and other contracts are reported', async () => {
    const curator = word(21).replace(/^0x0{24}/, '0x') as Hex;
    const vault = await node.deploy('MetaVault', [usd, curator]);
    for (const id of [word(1), word(2)]) await node.send('MetaVault', vault, 'enqueue', id);
    const to = await head();
    const { value } = await readCalls(node.rpc, { head: to }, (ask) => readVaults(ask, [vault, usd]));
    expect(value.missing).toEqual([{ id: usd, why: 'it does not respond to name() as a vault does' }]);
    expect(value.vaults.map(({ queue }) => queue)).toEqual([[word(1), word(2)]]);
    expect(vaultRows({ chain: 'anvil', protocol: 'morpho', time: to.timestamp }, value)).toEqual([
      {
        ...{ chain: 'anvil', vault_address: vault, protocol: 'morpho', name: 'Prime USDC', symbol: 'pUSDC' },
        ...{ asset_address: usd, asset_symbol: 'USDC', curator_address: curator, observed_at: to.timestamp },
      },
    ]);
  });

  it('of Aave are an error when the contract is a different one', async () => {
    await expect(readAave(node.rpc, { provider: usd, head: await head() })).rejects.toThrow(
      /check its address/,
    );
  });
});
