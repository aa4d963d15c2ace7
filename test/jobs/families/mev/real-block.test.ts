import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mev } from '../../../../jobs/families/mev/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { type DecodedBlock, decodeBlock, type Swap } from './decode-traces.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';

/** What a wei of ether was worth in this block, by its largest trade against a dollar. */
function weiUsd(swaps: readonly Swap[]): number {
  const sales = swaps.filter(({ token_in, token_out }) => token_in === WETH && token_out === USDT);
  const largest = sales.toSorted((a, b) => Number(b.amount_in - a.amount_in))[0];
  return Number(largest?.amount_out) / 1e6 / Number(largest?.amount_in);
}

function rowsOf({ block_number, timestamp, swaps }: DecodedBlock) {
  const price = weiUsd(swaps);
  const worth = (token: string, amount: bigint) => (token === WETH ? Number(amount) * price : null);
  return swaps.map(({ amount_in, amount_out, ...swap }) => ({
    chain: 'ethereum',
    block_number,
    observed_at: timestamp,
    ...swap,
    amount_in: String(amount_in),
    amount_out: String(amount_out),
    amount_in_usd: worth(swap.token_in, amount_in),
    amount_out_usd: worth(swap.token_out, amount_out),
  }));
}

/** The definition in its plainest form: any three swaps that make a sandwich of one account. */
function sandwichesOf(swaps: readonly Swap[]) {
  return swaps.flatMap((front) =>
    swaps.flatMap((back) => {
      const isPair =
        back.pool_id === front.pool_id &&
        back.tx_index > front.tx_index &&
        back.sender === front.sender &&
        back.token_in === front.token_out;
      const victims = swaps.filter(
        (one) =>
          one.pool_id === front.pool_id &&
          one.tx_index > front.tx_index &&
          one.tx_index < back.tx_index &&
          one.token_in === front.token_in &&
          one.sender !== front.sender,
      );
      return isPair && victims.length > 0 ? [{ front, victims, back }] : [];
    }),
  );
}

describeRealData('block 12,412,732 of Ethereum, with all its traces', () => {
  let world: DomainWorld;
  let block: DecodedBlock;
  beforeAll(async () => {
    block = decodeBlock(realData('mev/block-12412732.json'));
    world = await openDomainWorld(mev, [sources, oracles, pools]);
    expect(await world.landRows('mev_swap', rowsOf(block))).toMatchObject({ rows_quarantined: 0 });
    const day = block.timestamp - (block.timestamp % 86_400);
    await world.compute({ start: day, end: day + 86_400, now: day + 86_399 });
  });
  afterAll(() => world.close());

  test('its traces hold 35 swaps that stand (three more were undone) in 23 pools', () => {
    expect(new Date(block.timestamp * 1000).toISOString()).toBe('2021-05-11T10:54:19.000Z');
    expect(block.swaps).toHaveLength(35);
    expect(new Set(block.swaps.map(({ pool_id }) => pool_id)).size).toBe(23);
  });

  test('one sandwich is found, and it is the one that the plainest reading of the definition finds', async () => {
    const [found, ...more] = await world.rows('select * from derived.mev_sandwich');
    expect(more).toEqual([]);
    const [plain, ...others] = sandwichesOf(block.swaps);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      pool_id: plain?.front.pool_id,
      front_tx: plain?.front.tx_hash,
      back_tx: plain?.back.tx_hash,
      victim_txs: plain?.victims.map(({ tx_hash }) => tx_hash).join(),
      same_by: 'sender',
      victims: 1,
    });
  });

  test('swap by swap: bought before a buyer, sold to the last unit after it, an eighth of an ether richer', () => {
    const swapsOfPools = block.swaps
      .filter(({ tx_index }) => tx_index >= 194 && tx_index <= 196)
      .map(({ tx_index, sender, token_in, amount_in, amount_out }) => [
        tx_index,
        sender.slice(0, 8),
        token_in === WETH ? 'buys' : 'sells',
        String(amount_in),
        String(amount_out),
      ]);
    expect(swapsOfPools).toEqual([
      [194, '0x323b7f', 'buys', '2475457131979412166', '63928963385712908758217814675'],
      [195, '0x81417b', 'buys', '10039721462663959000', '249826871476637332957728836427'],
      [196, '0x323b7f', 'sells', '63928963385712908758217814675', '2610754166375294168'],
    ]);
  });

  test('it took 0.1353 ether, about 544 USD: named in the dataset, far from large', async () => {
    const [found] = await world.rows('select extracted, extracted_usd from derived.mev_sandwich');
    expect(Number(found?.['extracted']) / 1e18).toBeCloseTo(
      Number(2_610_754_166_375_294_168n - 2_475_457_131_979_412_166n) / 1e18,
      9,
    );
    expect(found?.['extracted_usd']).toBeCloseTo(544.38, 0);
  });

  test('of the three pools with three swaps or more, two hold none: no account trades both ways in them', () => {
    const byPool = Map.groupBy(block.swaps, ({ pool_id }) => pool_id);
    const busy = [...byPool].filter(([, swaps]) => swaps.length >= 3);
    const swapsOfPools = busy.map(([pool, swaps]) => [
      pool.slice(0, 10),
      swaps.map(
        ({ tx_index, sender, token_in }) =>
          `${tx_index} ${sender.slice(0, 6)} ${token_in === WETH ? 'buys' : 'sells'}`,
      ),
    ]);
    expect(swapsOfPools).toEqual([
      ['0x31d64f94', ['0 0x3be8 sells', '1 0x088b buys', '2 0xd90d buys']],
      ['0xb8ec4eb9', ['194 0x323b buys', '195 0x8141 buys', '196 0x323b sells']],
      ['0x811beed0', ['253 0xfaca buys', '281 0xc3b0 buys', '309 0x62b6 buys', '314 0x62e5 buys']],
    ]);
  });
});
