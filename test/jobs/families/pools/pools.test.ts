import { afterEach, beforeEach, expect, test } from 'vitest';
import { poolStates, pools } from '../../../../jobs/families/pools/domain.ts';
import type { PoolState } from '../../../../schemas/pools.ts';
import { stableOut } from '../../../models/stable-pool.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const NOW = 1_772_323_200;
const WINDOW = { start: NOW - 86_400, end: NOW + 1, now: NOW };

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(pools);
});
afterEach(() => world.close());

const pool = (address: string, change: object = {}) => ({
  chain: 'Ethereum',
  pool: address,
  observed_at: NOW - 60,
  kind: 'product',
  fee_pips: 3_000,
  symbols: 'usdc,ETH',
  decimals: '6,18',
  reserves: '5000000,1000000000000000000',
  ...change,
});

test('a pool lands exactly, whichever way its lists are written, and can be swapped in', async () => {
  await world.landRows('amm_pool_state', [
    pool('0xA', {
      kind: 'stable',
      amplification: 2_000,
      fee_pips: 400,
      symbols: '["DAI", "USDC", "USDT"]',
      decimals: '[18, 6, 6]',
      reserves: '["295949605740077243186725223","284320067518878", "288200854907854"]',
    }),
  ]);
  await world.compute(WINDOW);
  const state = (await world.document(poolStates, 'ethereum:0xa')) as unknown as PoolState;
  expect(state).toMatchObject({
    symbols: ['DAI', 'USDC', 'USDT'],
    decimals: [18, 6, 6],
    amplification: 2_000,
  });
  const swapped = stableOut(
    {
      amplification: BigInt(state.amplification ?? 0),
      balances: state.reserves.map(BigInt),
      rates: state.decimals.map((decimals) => 10n ** BigInt(36 - decimals)),
      fee: BigInt(state.fee_pips) * 10_000n,
    },
    0,
    1,
    10n ** 24n,
  );
  // The published answer of the 3pool of that day: 999,578.282174 USDC for a million DAI.
  expect(swapped).toBe(999_578_282_174n);
});

test.each([
  ['lists of different lengths', { decimals: '6,18,6' }],
  ['three coins of a constant product', { symbols: 'A,B,C', decimals: '6,6,6', reserves: '1,2,3' }],
  ['one coin', { symbols: 'A', decimals: '6', reserves: '1' }],
  ['nine coins', { kind: 'stable', amplification: 5, symbols: 'A,B,C,D,E,F,G,H,I' }],
  ['a stable pool without amplification', { kind: 'stable' }],
  ['a range without its price', { kind: 'ticks', liquidity: '5' }],
  ['a fee of the whole', { fee_pips: 1_000_000 }],
  ['a negative reserve', { reserves: '-5,6' }],
  ['a reserve that is not whole', { reserves: '5.5,6' }],
  ['an empty entry', { reserves: '5,,6' }],
  ['decimals beyond 36', { decimals: '37,18' }],
  ['an unknown kind', { kind: 'weighted' }],
])('%s is refused', async (_, change) => {
  const receipt = await world.landRows('amm_pool_state', [pool('0xa', change), pool('0xb')]);
  expect([receipt.rows_landed, receipt.rows_quarantined]).toEqual([1, 1]);
});

test('a report that comes again is one, however its lists are written; another content is a conflict', async () => {
  const counts = async (...rows: readonly ReturnType<typeof pool>[]) => {
    const receipt = await world.landRows('amm_pool_state', rows);
    return [receipt.rows_landed, receipt.rows_deduplicated, receipt.rows_quarantined];
  };
  const again = pool('0xa', { symbols: '["usdc", "eth"]' });
  expect(await counts(pool('0xa'), again)).toEqual([1, 1, 0]);
  expect(await counts(again)).toEqual([0, 1, 0]);
  expect(await counts(pool('0xa', { reserves: '1,2' }))).toEqual([0, 0, 1]);
});

test('a pool that cannot swap is named by the audit', async () => {
  await world.landRows('amm_pool_state', [pool('0xa', { reserves: '0,5' }), pool('0xb')]);
  await world.compute(WINDOW);
  const [finding] = await world.audit(WINDOW);
  expect(finding).toMatchObject({
    table: 'derived.pool_state',
    verdict: 'fail',
    rows: [{ chain: 'ethereum', pool: '0xa' }],
  });
});
