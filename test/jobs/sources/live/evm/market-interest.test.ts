// Interest of Morpho's markets on a real node: what is read between interactions is what the next interaction stores.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { readCalls } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { morphoRows, readMorpho } from '../../../../../jobs/sources/live/evm/read-morpho.ts';
import { readMarketStates } from '../../../../../jobs/sources/live/evm/vaults/market-state.ts';
import { type Anvil, describeOnNode, startAnvil } from './anvil.ts';

const NONE = `0x${'0'.repeat(40)}`;
const WAD = 10n ** 18n;
const DAY_S = 86_400;
const FIVE_PERCENT = 1585489599n;

describeOnNode('interest of markets on a real node', () => {
  let node: Anvil;
  let usd: Address;
  let morpho: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    usd = await node.deploy('Token', ['USDC', 6]);
    morpho = await node.deploy('MorphoBlue');
    await node.send('Token', usd, 'mint', node.client.account.address, 10n ** 15n);
  });
  afterAll(() => node.stop());

  const send = (name: string, ...args: unknown[]) => node.send('MorphoBlue', morpho, name, ...args);
  async function marketWith(irm: Address, { fee = 0n, lltv = 0n } = {}): Promise<Hex> {
    const params = { loanToken: usd, collateralToken: NONE, oracle: NONE, irm, lltv };
    const { logs } = await send('createMarket', params, fee);
    const id = logs[0]?.topics[1] as Hex;
    await send('supply', id, 10n ** 13n, node.client.account.address);
    await send('borrow', id, 9n * 10n ** 12n);
    return id;
  }
  const pass = async (seconds: number) => {
    await node.client.increaseTime({ seconds });
    await node.client.mine({ blocks: 1 });
  };
  async function read(id: Hex) {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const now = BigInt(head.timestamp);
    const { value } = await readCalls(node.rpc, { head }, (ask) =>
      readMarketStates(ask, { morpho, ids: [id], now }),
    );
    return { head, market: value.markets[0], missing: value.missing };
  }

  it('is added up to the block that is read', async () => {
    const id = await marketWith(await node.deploy('FixedRate', [FIVE_PERCENT]));
    const before = (await read(id)).market?.totals;
    const elapsed = async () => Number((await read(id)).head.timestamp) - Number(before?.lastUpdate);
    await pass(DAY_S - (await elapsed()));
    const { market } = await read(id);
    expect((market?.totals.supplyAssets ?? 0n) - 10n ** 13n).toBe(1_232_961_159n);
    expect(market?.borrowRate).toBe(null);
  });

  it('is what the next interaction of an adaptive market stores, with the fee, and the rate with it', async () => {
    const irm = await node.deploy('AdaptiveRate');
    const id = await marketWith(irm, { fee: WAD / 10n, lltv: 1n });
    await send('borrow', id, 9n * 10n ** 11n);
    for (const seconds of [1, 3_600, 40 * DAY_S]) {
      await pass(seconds);
      await node.client.setBlockTimestampInterval({ interval: 0 });
      const { market, head } = await read(id);
      await node.client.setNextBlockTimestamp({ timestamp: BigInt(head.timestamp) });
      await send('accrue', id);
      await node.client.removeBlockTimestampInterval();
      const stored = await read(id);
      expect(stored.head.timestamp).toBe(head.timestamp);
      expect(market).toEqual(stored.market);
      expect(stored.market?.totals.lastUpdate).toBe(BigInt(head.timestamp));
      expect(market?.borrowRate).toBeGreaterThan(0n);
    }
  });

  it('appears in rows with the rates of both sides', async () => {
    const id = await marketWith(await node.deploy('AdaptiveRate'), { lltv: 2n });
    const head = await readHead(node.rpc, { confirmations: 0 });
    const reading = await readMorpho(node.rpc, { morpho, ids: [id], head });
    const [state] = morphoRows(
      { chain: 'anvil', protocol: 'morpho', fresh: new Set() },
      reading,
    ).market_state;
    // At a utilization of 90 %, 4 % a year less the remainder of a division.
    expect(state).toMatchObject({ borrow_apr_pct: '3.9999999988944' });
    expect(Number(state?.['supply_apr_pct'])).toBeCloseTo(3.6, 6);
  });

  it('is unknown when the rate model does not answer: the market is missing, not without interest', async () => {
    const id = await marketWith(await node.deploy('FixedRate', [FIVE_PERCENT]), { lltv: 3n });
    await pass(10);
    const { market: readable } = await read(id);
    await node.client.setCode({ address: readable?.params.irm as Address, bytecode: '0xfe' });
    const { market, missing } = await read(id);
    expect(market).toBe(undefined);
    expect(missing).toEqual([
      { id, why: `its rate model ${readable?.params.irm} does not return a borrow rate` },
    ]);
  });
});
