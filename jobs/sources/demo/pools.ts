// Pools of the demo world, read every hour: two of constant product, two of the StableSwap kind, two with liquidity in price ranges.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { blockAt, timeOf } from './scenario/block.ts';
import { signed } from './scenario/hash.ts';
import { DEMO_POOLS, type DemoPool, poolAddress, poolSeed } from './scenario/pools.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';

const MAX_DAYS = 12;
const RIPPLE = 0.03;
const Q96 = 2n ** 96n;
const UNIT = 1_000_000;

export function poolsDemoSources({ seed, days, startedAt }: DemoSettings): readonly Source[] {
  const start = firstDay(startedAt, Math.min(days, MAX_DAYS));
  return [
    simulatedAs('pool-states', 'amm_pool_state', (interval) =>
      blocksOf(start, interval).flatMap((block) =>
        DEMO_POOLS.map((pool, index) => stateOf(pool, index, { seed, block })),
      ),
    ),
  ];
}

/** The last block of every hour in (from, to]. */
function blocksOf(start: number, { from, to }: Interval): readonly number[] {
  const found: number[] = [];
  for (let hour = Math.max(start, from - (from % HOUR_S)); hour <= to + HOUR_S; hour += HOUR_S) {
    const block = blockAt(hour);
    if (timeOf(block) > from && timeOf(block) <= to) found.push(block);
  }
  return found;
}

function stateOf(
  pool: DemoPool,
  index: number,
  { seed, block }: { readonly seed: number; readonly block: number },
): Row {
  const own = poolSeed(seed, index);
  const tilt = RIPPLE * signed(own, block);
  const reserves = pool.coins.map(([, decimals, amount], index) =>
    inUnits(amount * (index === 0 ? 1 + tilt : 1 - tilt), decimals),
  );
  return {
    chain: 'ethereum',
    pool: poolAddress(seed, index),
    venue: pool.venue,
    observed_at: timeOf(block),
    block_number: block,
    kind: pool.kind,
    fee_pips: pool.fee_pips,
    symbols: pool.coins.map(([symbol]) => symbol).join(','),
    decimals: pool.coins.map(([, decimals]) => decimals).join(','),
    reserves: reserves.join(','),
    amplification: pool.amplification ?? null,
    ...rangeOf(pool, reserves),
  };
}

const inUnits = (amount: number, decimals: number): bigint =>
  (BigInt(Math.round(amount * UNIT)) * 10n ** BigInt(decimals)) / BigInt(UNIT);

/** Price and liquidity of a pool with reserves spread over all prices: √(y / x) and √(x · y). */
function rangeOf({ kind }: DemoPool, reserves: readonly bigint[]): Row {
  const [x = 1n, y = 1n] = reserves;
  if (kind !== 'ticks') return { sqrt_price_x96: null, liquidity: null };
  return { sqrt_price_x96: String(root((y * Q96 * Q96) / x)), liquidity: String(root(x * y)) };
}

/** Integer square root, rounded down, by Newton's method. */
function root(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
}
