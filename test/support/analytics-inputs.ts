// Made-up analytics inputs in their published form: a lending market hour by hour, and the returns of an asset.
import type { ExitInputs, ReturnInputs } from '../../schemas/analytics.ts';
import type { PoolState } from '../../schemas/pools.ts';
import type { Json } from '../../platform/base/json.ts';
import type { Document } from '../../snapshots/layout.ts';
import { seededRandom } from './seeded-random.ts';

export const INPUT_HOUR_S = 3_600;
/** Start of the first hour that is no longer known. */
export const INPUT_END_S = Date.parse('2026-03-01T12:00:00Z') / 1_000;

export interface MarketOptions {
  readonly hours?: number;
  readonly seed?: number;
  /** Share of the supply that can be withdrawn at the start of the history. */
  readonly free?: number;
  readonly more?: Partial<ExitInputs>;
}

const SUPPLIED = 10_000_000;

/** Hours whose free share wanders between 0 and 40 %, ending with the state after the last flow. */
export function marketInputs({
  hours = 1_000,
  seed = 1,
  free = 0.2,
  more = {},
}: MarketOptions = {}): ExitInputs {
  const { list, share } = wanderingHours(hours, seed, free);
  return {
    id: 'ethereum:0xm1',
    chain: 'ethereum',
    market_id: '0xm1',
    protocol: 'aave',
    name: 'Test market',
    loan_symbol: 'USDC',
    collateral_symbol: 'ETH',
    observed_at: INPUT_END_S,
    supplied_usd: SUPPLIED,
    borrowed_usd: round((1 - share) * SUPPLIED, 2),
    withdrawable_usd: round(share * SUPPLIED, 2),
    utilization: round(1 - share, 8),
    depth_usd: 400_000,
    hours: list,
    ...more,
  };
}

function wanderingHours(hours: number, seed: number, free: number) {
  const random = seededRandom(seed);
  const list: ExitInputs['hours'] = {
    hour: [],
    flow: [],
    utilization: [],
    supplied_usd: [],
    withdrawable_usd: [],
  };
  let share = free;
  for (let i = 0; i < hours; i++) {
    const next = Math.min(0.4, Math.max(0, share + (random() - 0.5) * 0.03));
    list.hour.push(INPUT_END_S - (hours - i) * INPUT_HOUR_S);
    list.flow.push(round(next - share, 12));
    list.utilization.push(round(1 - share, 8));
    list.supplied_usd.push(SUPPLIED);
    list.withdrawable_usd.push(round(share * SUPPLIED, 2));
    share = next;
  }
  return { list, share };
}

export function returnInputs(hours = 1_000, more: Partial<ReturnInputs> = {}): ReturnInputs {
  const random = seededRandom(7);
  const list: ReturnInputs['hours'] = { hour: [], return: [] };
  for (let i = 0; i < hours; i++) {
    list.hour.push(INPUT_END_S - (hours - i) * INPUT_HOUR_S);
    list.return.push(round((random() + random() + random() - 1.5) * 0.004, 12));
  }
  return {
    symbol: 'USDC',
    pair: 'USDC-USD',
    price_usd: 1,
    observed_at: INPUT_END_S,
    feeds: ['ethereum:0xf1'],
    hours: list,
    ...more,
  };
}

/** A pool of equal coins of 6 decimals on Ethereum; a constant-product pool unless `more` states otherwise. */
export const poolInputs = (
  address: string,
  symbols: readonly string[],
  reserves: readonly string[],
  more: Partial<PoolState> = {},
): PoolState => ({
  id: `ethereum:${address}`,
  chain: 'ethereum',
  pool: address,
  venue: 'curve',
  observed_at: INPUT_END_S,
  block_number: 1,
  kind: 'product',
  fee_pips: 400,
  symbols: [...symbols],
  decimals: symbols.map(() => 6),
  reserves: [...reserves],
  amplification: null,
  sqrt_price_x96: null,
  liquidity: null,
  ...more,
});

/** The rows as documents of a dataset whose key is the id. */
export const keyedById = (rows: readonly { readonly id: string }[]): readonly Document[] =>
  rows.map((value) => ({ key: value.id, value: value as unknown as Json }));

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
