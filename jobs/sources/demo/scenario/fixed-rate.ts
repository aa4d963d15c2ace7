// The fixed-rate token of the demo world: redeemed one to one for a synthetic dollar at maturity, and worth less by time until then.
import { DAY_S } from '../../../../platform/base/time.ts';

const ONE = 10n ** 18n;
const YEAR_S = 365n * 86_400n;
const MATURES_IN_DAYS = 120;

export const FIXED_RATE = {
  token: 'PTUSDE',
  redeemedFor: 'USDE',
  /** With 18 decimals. */
  discountPerYear: (30n * ONE) / 100n,
} as const;

/** `start`: the first second of the world's states. */
export const maturityOf = (start: number): number => start + MATURES_IN_DAYS * DAY_S;

/** What one token is worth of what it is redeemed for, with 18 decimals. */
export function discountAt(start: number, at: number): bigint {
  const left = BigInt(Math.max(0, maturityOf(start) - at));
  return ONE - (left * FIXED_RATE.discountPerYear) / YEAR_S;
}
