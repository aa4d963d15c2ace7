// Rows of a market whose oracle is a constant while its collateral loses its price, as xUSD did on 2025-11-05, and of the feeds that show it.
import type { FileRow } from '../../../support/file-world.ts';

export const HOUR = 3_600;
export const DAY = 86_400;
/** 2025-11-05. */
export const BROKEN = 1_762_300_800;
export const START = BROKEN - 2 * DAY;
export const CHAIN = 'arbitrum';
export const MARKET = `0x9e90aec7${'0'.repeat(56)}`;
export const VAULT = `0x3014ed70${'0'.repeat(32)}`;
/** A price of 1 as oracles state it. */
export const ONE = `1${'0'.repeat(36)}`;
const [XUSD_FEED, USDC_FEED] = [`0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`];

export const market = { chain: CHAIN, market_id: MARKET };
export const vault = { chain: CHAIN, vault_address: VAULT };

export const hoursUntil = (now: number): readonly number[] =>
  Array.from({ length: (now - START) / HOUR + 1 }, (_, hour) => START + hour * HOUR);

/** An amount in the smallest unit of an asset with six decimals. */
export const units = (amount: number): string => String(Math.round(amount * 1e6));

interface Loan {
  /** All that is supplied, USD. */
  readonly debt: number;
  /** USD by the oracle. */
  readonly collateral: number;
  readonly lltv: number;
}

/** The market with one borrower. `state`: further members of its states. */
export function marketTables(
  { debt, collateral, lltv }: Loan,
  hours: readonly number[],
  state: FileRow = {},
): Readonly<Record<string, readonly FileRow[]>> {
  const fall = 1 - debt / (lltv * collateral);
  return {
    lending_market: [
      {
        ...{ ...market, protocol: 'morpho', loan_asset: `0x${'aa'.repeat(20)}`, loan_symbol: 'USDC', lltv },
        ...{ collateral_asset: `0x${'bb'.repeat(20)}`, collateral_symbol: 'xUSD', observed_at: START - DAY },
      },
    ],
    market_state: hours.map((observed_at) => ({
      ...{ ...market, observed_at, supplied: debt, borrowed: debt, supplied_usd: debt, borrowed_usd: debt },
      ...state,
    })),
    borrower_tranche: hours.map((observed_at) => ({
      ...{ ...market, observed_at, fall_from: fall, fall_to: fall, debt_usd: debt },
      ...{ collateral_usd: collateral, price_basis: 'oracle', tranche_count: 1 },
    })),
  };
}

/** Feeds of both assets. `xusd`: rounds of the collateral, as time and price, besides those of 1 before it broke. */
export function feedTables(
  xusd: readonly (readonly [at: number, price: number])[],
): Readonly<Record<string, readonly FileRow[]>> {
  const before = [START, BROKEN - DAY];
  return {
    feed_registry: [feed(XUSD_FEED, 'XUSD'), feed(USDC_FEED, 'USDC')],
    feed_round: [
      ...before.map((at) => round(XUSD_FEED, at, 1)),
      ...xusd.map(([at, price]) => round(XUSD_FEED, at, price)),
      ...[...before, BROKEN].map((at) => round(USDC_FEED, at, 1)),
    ],
  };
}

const feed = (feed_address: string, base: string): FileRow => ({
  ...{ chain: CHAIN, provider: 'chainlink', feed_address, name: `${base} / USD`, base, quote: 'USD' },
  ...{ heartbeat_s: DAY, deviation_bps: 50, decimals: 8, observed_at: START - DAY },
});

const round = (feed_address: string, updated_at: number, price: number): FileRow => ({
  ...{ chain: CHAIN, feed_address, round_id: String(updated_at), answer: String(Math.round(price * 1e8)) },
  ...{ decimals: 8, updated_at },
});
