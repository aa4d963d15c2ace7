// Borrowing in the demo world: kinked curves of pools, adaptive curves of isolated markets, and every six hours the debt of each market
// spread over eight distances to liquidation.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { hash, signed, unit } from './scenario/hash.ts';
import { type DemoMarket, demoMarkets } from './scenario/lending-markets.ts';
import { calendarOf, type DemoState, statesIn } from './scenario/lending-states.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';

const SIX_HOURS_S = 6 * HOUR_S;
const SEED_OF_RATES = 2_900;
const SEED_OF_TRANCHES = 2_950;
/** Loan-to-value above which a loan of a pool is liquidated. */
const POOL_THRESHOLD = 0.8;
/** Distances to liquidation at which one tranche ends and the next begins. */
const FALLS = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 1] as const;
/** Share of the debt in each tranche; few borrowers are close to liquidation. */
const SHARES = [0.01, 0.03, 0.08, 0.2, 0.26, 0.22, 0.14, 0.06] as const;

export function borrowingDemoSources(settings: DemoSettings): readonly Source[] {
  const { seed, days, startedAt } = settings;
  const listedAt = firstDay(startedAt, days);
  const markets = demoMarkets(settings);
  const calendar = calendarOf(settings);
  const everySixHours = (interval: Interval) =>
    [...statesIn(markets, calendar, interval)].filter(
      ({ observed_at }) => Math.round(observed_at / HOUR_S) % 6 === 0,
    );
  const pools = markets.filter(({ collateral }) => collateral === null);
  return [
    simulatedAs('rate-curves', 'market_rate_model', ({ from, to }) =>
      listedAt > from && listedAt <= to ? pools.map((market) => curveOf(market, listedAt)) : [],
    ),
    simulatedAs('adaptive-rates', 'market_rate_model', (interval) =>
      everySixHours(interval)
        .filter(({ market }) => market.collateral !== null)
        .map((state) => adaptiveOf(seed, state)),
    ),
    simulatedAs('borrower-tranches', 'borrower_tranche', (interval) =>
      everySixHours(interval).flatMap((state) => tranchesOf(seed, state)),
    ),
  ];
}

const isStable = ({ category }: DemoMarket) => category === 'stablecoin';

const curveOf = (market: DemoMarket, observed_at: number): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  observed_at,
  kind: 'kinked',
  base: 0,
  slope1: isStable(market) ? 0.055 : 0.04,
  slope2: isStable(market) ? 0.6 : 0.8,
  optimal: isStable(market) ? 0.92 : 0.8,
  rate_at_target: null,
  reserve_factor: null,
});

const adaptiveOf = (seed: number, { market, observed_at }: DemoState): Row => ({
  chain: market.chain,
  market_id: market.market_id,
  observed_at,
  kind: 'adaptive',
  base: null,
  slope1: null,
  slope2: null,
  optimal: null,
  rate_at_target:
    0.03 + 0.03 * unit(hash(seed, SEED_OF_RATES), market.index) * (1 + wobble(seed, market, observed_at)),
  reserve_factor: 0,
});

const wobble = (seed: number, { index }: DemoMarket, at: number) =>
  0.1 * signed(hash(seed, SEED_OF_RATES + 1 + index), Math.floor(at / SIX_HOURS_S));

/** A loan is liquidated when its collateral, after the fall, is worth its debt over the threshold. */
function tranchesOf(seed: number, { market, observed_at, borrowed_usd }: DemoState): readonly Row[] {
  const threshold = market.lltv ?? POOL_THRESHOLD;
  const shift = 0.005 * unit(hash(seed, SEED_OF_TRANCHES), market.index);
  return SHARES.map((share, index) => {
    const [fall_from, fall_to] = [FALLS[index] ?? 0, FALLS[index + 1] ?? 1];
    const debt_usd =
      borrowed_usd * (share + (index === 0 ? shift : 0) - (index === SHARES.length - 1 ? shift : 0));
    const middle = (fall_from + Math.min(fall_to, 0.9)) / 2;
    return {
      chain: market.chain,
      market_id: market.market_id,
      observed_at,
      fall_from,
      fall_to,
      debt_usd,
      collateral_usd: debt_usd / threshold / (1 - middle),
      price_basis: 'oracle',
      tranche_count: SHARES.length,
    };
  });
}
