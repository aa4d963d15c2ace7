import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  accrued,
  adaptiveRates,
  compounded,
  type MarketTotals,
  presentRate,
  suppliedBy,
  WAD,
} from '../../../../../../jobs/sources/live/evm/vaults/morpho-interest.ts';

const FIVE_PERCENT = 1585489599n;
const DAY = 86_400n;
const market: MarketTotals = {
  supplyAssets: 10n ** 13n,
  supplyShares: 10n ** 19n,
  borrowAssets: 9n * 10n ** 12n,
  borrowShares: 9n * 10n ** 18n,
  lastUpdate: 1_700_000_000n,
  fee: 0n,
};
const nextDay = market.lastUpdate + DAY;
const TENTH = 10n ** 18n;

describe('interest since the last interaction', () => {
  it('is compounded, not simple', () => {
    const later = accrued(market, FIVE_PERCENT, nextDay);
    expect(later.supplyAssets - market.supplyAssets).toBe(1_232_961_159n);
    expect(later.borrowAssets - market.borrowAssets).toBe(1_232_961_159n);
    expect(suppliedBy(TENTH, later)).toBe(1_000_123_296_115n);
    expect(later.lastUpdate).toBe(nextDay);
  });

  it('belongs to suppliers less the fee, which dilutes their shares', () => {
    const later = accrued({ ...market, fee: WAD / 10n }, FIVE_PERCENT, nextDay);
    expect(suppliedBy(TENTH, later)).toBe(1_000_110_966_504n);
  });

  test.each([0n, 1n])('is none after no time, and that of one second after one (%d s)', (seconds) => {
    const interest = (market.borrowAssets * compounded(FIVE_PERCENT, seconds)) / WAD;
    const later = accrued(market, FIVE_PERCENT, market.lastUpdate + seconds);
    expect(later.supplyAssets - market.supplyAssets).toBe(interest);
    expect(interest > 0n).toBe(seconds > 0n);
  });

  it('is none for a block before the last interaction', () => {
    expect(accrued(market, FIVE_PERCENT, market.lastUpdate - 1n)).toEqual(market);
  });
});

test('supply never loses value by interest, and the fee is at most its share', () => {
  const amount = fc.bigInt(0n, 10n ** 30n);
  fc.assert(
    fc.property(
      fc.record({ supply: amount, borrowed: amount, fee: fc.bigInt(0n, WAD / 4n) }),
      fc.bigInt(0n, 10n ** 11n),
      fc.bigInt(1n, 10n ** 8n),
      ({ supply, borrowed, fee }, rate, elapsed) => {
        const before: MarketTotals = {
          ...market,
          supplyAssets: supply,
          supplyShares: supply * 10n ** 6n,
          borrowAssets: borrowed < supply ? borrowed : supply,
          fee,
        };
        const after = accrued(before, rate, before.lastUpdate + elapsed);
        const own = suppliedBy(before.supplyShares, after);
        expect(own >= suppliedBy(before.supplyShares, before)).toBe(true);
        const interest = after.supplyAssets - before.supplyAssets;
        const feeAssets = suppliedBy(after.supplyShares - before.supplyShares, after);
        expect(feeAssets <= (interest * fee) / WAD).toBe(true);
        expect(own + feeAssets <= after.supplyAssets).toBe(true);
      },
    ),
  );
});

describe('the adaptive curve', () => {
  const atUtilization = (percent: bigint): MarketTotals => ({
    ...market,
    borrowAssets: (market.supplyAssets * percent) / 100n,
  });
  const FOUR_PERCENT = (WAD * 4n) / 100n / 31_536_000n;

  test.each([
    // An empty market costs a quarter of the rate at target, a full one four times as much.
    [0n, FOUR_PERCENT / 4n],
    [90n, FOUR_PERCENT],
    [100n, FOUR_PERCENT * 4n],
  ])('at a utilization of %d %% without time costs %d', (percent, expected) => {
    const rates = adaptiveRates(atUtilization(percent), FOUR_PERCENT, market.lastUpdate);
    expect(rates).toEqual({ average: expected, endAtTarget: FOUR_PERCENT });
  });

  it('begins at 4 % a year in a market that has never been used', () => {
    expect(adaptiveRates(atUtilization(90n), 0n, nextDay).endAtTarget).toBe(FOUR_PERCENT);
  });

  it('keeps its rate at the target utilization', () => {
    const rates = adaptiveRates(atUtilization(90n), FOUR_PERCENT, nextDay);
    expect(rates).toEqual({ average: FOUR_PERCENT, endAtTarget: FOUR_PERCENT });
  });

  test.each([
    [100n, 5n, 2n],
    [0n, 5n, -2n],
  ])('at %d %% doubles or halves in about five days', (percent, days, sign) => {
    const { endAtTarget } = adaptiveRates(
      atUtilization(percent),
      FOUR_PERCENT,
      market.lastUpdate + days * DAY,
    );
    const factor = Number(endAtTarget) / Number(FOUR_PERCENT);
    // e^(50 / 365 · days) = 1.984
    expect(sign > 0n ? factor : 1 / factor).toBeCloseTo(Math.exp((50 / 365) * Number(days)), 1);
  });

  test.each([
    [100n, (2n * WAD) / 31_536_000n],
    [0n, WAD / 1000n / 31_536_000n],
  ])('at %d %% ends at its bound', (percent, bound) => {
    const { endAtTarget } = adaptiveRates(
      atUtilization(percent),
      FOUR_PERCENT,
      market.lastUpdate + 1000n * DAY,
    );
    expect(endAtTarget).toBe(bound);
  });

  it('charges an average between the rates at both ends, and then the rate at the end', () => {
    const full = atUtilization(100n);
    const { average, endAtTarget } = adaptiveRates(full, FOUR_PERCENT, nextDay);
    const later = accrued(full, average, nextDay);
    expect(average > FOUR_PERCENT * 4n && average < endAtTarget * 4n).toBe(true);
    expect(presentRate(later, endAtTarget)).toBe(endAtTarget * 4n);
  });
});
