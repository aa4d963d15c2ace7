import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decimalText } from '../../../../../../jobs/sources/live/evm/hex.ts';
import {
  assetsFor,
  backedTotals,
  type BookedVault,
  bookedTotals,
  EULER_VIRTUAL,
  morphoVirtual,
  NO_VIRTUAL,
  type Backing,
  type RateLimitedVault,
  rateLimitedTotals,
  type ShareTotals,
  sharesFor,
} from '../../../../../../jobs/sources/live/evm/vaults/share-value.ts';
import { WAD } from '../../../../../../jobs/sources/live/evm/vaults/morpho-interest.ts';

const SHARE = 10n ** 18n;
const USDC = 10n ** 6n;
const DECIMALS = { asset: 6, share: 18 };

const PLACES = 10n ** 18n;
const decimal = (value: bigint): string => decimalText(value, 18);
/** Assets for one whole share, rounded down to 18 places. */
const priceText = ({ assets, shares, virtual }: ShareTotals, { asset, share }: typeof DECIMALS): string =>
  decimal(
    ((assets + virtual.assets) * 10n ** BigInt(share) * PLACES) /
      ((shares + virtual.shares) * 10n ** BigInt(asset)),
  );
/** Share of the claims of everyone but address(1) that is backed. */
const coverageText = ({ quoted, real, givenUp }: Backing): string =>
  decimal((real * PLACES) / (quoted.assets - assetsFor(givenUp, quoted)));

const empty = (decimals: number): ShareTotals => ({
  assets: 0n,
  shares: 0n,
  virtual: morphoVirtual(decimals),
});
/** A deposit, with the shares that it receives. */
const deposited = (totals: ShareTotals, amount: bigint) => {
  const shares = sharesFor(amount, totals);
  return { shares, totals: { ...totals, assets: totals.assets + amount, shares: totals.shares + shares } };
};

describe('shares of a vault of Morpho', () => {
  test.each([
    ['USDC', 6, 10n ** 12n, 10n ** 24n, 10n ** 6n],
    ['WETH', 18, 10n ** 18n, 10n ** 18n, 10n ** 18n],
    ['WBTC', 8, 10n ** 8n, 10n ** 18n, 10n ** 8n],
    ['a token with 24 decimals', 24, 10n ** 24n, 10n ** 24n, 10n ** 18n],
    ['a token without decimals', 0, 1n, 10n ** 18n, 1n],
  ])('of %s', (_, decimals, amount, shares, perShare) => {
    const first = deposited(empty(decimals), amount);
    expect(first.shares).toBe(shares);
    expect(assetsFor(SHARE, first.totals)).toBe(perShare);
  });

  test.each([
    [18, 10n ** 18n, 2n, 1_250_000_000_000_000_001n],
    [6, 10n ** 12n, 2_999_999_999_994n, 1_499_999_999_999n],
  ])(
    'of an unseeded vault with %d decimals survive a donation as the formula says',
    (decimals, gift, shares, worth) => {
      const { totals } = deposited(empty(decimals), 1n);
      const victim = deposited({ ...totals, assets: totals.assets + gift }, (gift * 3n) / 2n);
      expect(victim.shares).toBe(shares);
      expect(assetsFor(victim.shares, victim.totals)).toBe(worth);
    },
  );
});

const booked = (part: Partial<BookedVault>): BookedVault => ({
  positions: 10n ** 12n,
  supply: 10n ** 24n,
  lastAssets: 10n ** 12n,
  lost: null,
  fee: 0n,
  virtual: morphoVirtual(6),
  ...part,
});

describe('gains of a vault of version 1', () => {
  const fee = WAD / 10n;

  it('give shares to the recipient of the fee before they are minted', () => {
    const totals = bookedTotals(booked({ positions: 101n * 10n ** 10n, fee }));
    expect(totals.feeShares).toBe(991_080_277_502_486_540_854n);
    expect(assetsFor(SHARE, totals)).toBe(1_008_999n);
  });

  it('include what was supplied on its behalf', () => {
    expect(assetsFor(SHARE, bookedTotals(booked({ positions: 105n * 10n ** 10n, fee })))).toBe(1_044_999n);
  });

  it('give no shares without a fee', () => {
    expect(bookedTotals(booked({ positions: 101n * 10n ** 10n })).feeShares).toBe(0n);
  });
});

describe('losses', () => {
  const TWO_MILLION = 2_000_000n * USDC;
  const LOSS = 50_000n * USDC;
  const before = booked({ positions: TWO_MILLION, supply: 2n * 10n ** 24n, lastAssets: TWO_MILLION });

  it('lower the price of version 1.0', () => {
    const totals = bookedTotals({ ...before, positions: TWO_MILLION - LOSS });
    // The virtual asset and share weigh a unit in two million.
    expect(priceText(totals, DECIMALS)).toBe('0.975000000000012499');
    expect(totals.lost).toBe(0n);
  });

  it('of version 1.1 are in no quoted price, but in the backed one, before they are booked', () => {
    const positions = TWO_MILLION - LOSS;
    const quoted = bookedTotals({ ...before, positions, lost: 0n });
    const backing = { quoted, real: positions, givenUp: 0n };
    expect(quoted).toMatchObject({ lost: LOSS, assets: TWO_MILLION });
    expect(priceText(quoted, DECIMALS)).toBe('1');
    expect(priceText(backedTotals(backing), DECIMALS)).toBe('0.975000000000012499');
    expect(coverageText(backing)).toBe('0.975');
  });

  it('of version 1.1 are made up by a deposit for address(1)', () => {
    const paid = {
      positions: TWO_MILLION,
      lastAssets: TWO_MILLION + LOSS,
      supply: 205n * 10n ** 22n,
      lost: LOSS,
    };
    const quoted = bookedTotals({ ...before, ...paid });
    const backing = { quoted, real: TWO_MILLION, givenUp: 5n * 10n ** 22n };
    expect(quoted.lost).toBe(LOSS);
    expect(priceText(backedTotals(backing), DECIMALS)).toBe('1');
    expect(coverageText(backing)).toBe('1');
    const { virtual } = before;
    const naive = { assets: TWO_MILLION, shares: quoted.shares, virtual };
    expect(priceText(naive, DECIMALS).slice(0, 7)).toBe('0.97560');
  });

  it('of version 1.1 smaller than the interest in between are hidden by it', () => {
    const positions = TWO_MILLION + 100_000n * USDC - LOSS;
    const quoted = bookedTotals({ ...before, positions, lost: 0n });
    expect(quoted).toMatchObject({ lost: 0n, assets: TWO_MILLION + LOSS });
    const backed = backedTotals({ quoted, real: positions, givenUp: 0n });
    expect(priceText(backed, DECIMALS)).toBe(priceText(quoted, DECIMALS));
  });

  it('never shrink by a gain', () => {
    const quoted = bookedTotals({
      ...before,
      positions: TWO_MILLION + USDC,
      lost: LOSS,
      lastAssets: TWO_MILLION + LOSS,
    });
    expect(quoted.lost).toBe(LOSS);
  });

  test.each([
    [TWO_MILLION - LOSS, LOSS],
    [TWO_MILLION - LOSS - 1n, LOSS + 1n],
    [TWO_MILLION - LOSS + 1n, LOSS],
  ])('positions worth %d show a loss of %d', (positions, lost) => {
    expect(bookedTotals({ ...before, positions, lost: LOSS }).lost).toBe(lost);
  });
});

const limited = (part: Partial<RateLimitedVault>): RateLimitedVault => ({
  real: 10n ** 12n,
  supply: 10n ** 24n,
  lastAssets: 10n ** 12n,
  elapsed: 3_600n,
  maxRate: 0n,
  performanceFee: 0n,
  managementFee: 0n,
  virtual: morphoVirtual(6),
  ...part,
});
const YEAR = 31_536_000n;

describe('a vault of version 2', () => {
  it('spreads a donation by its maximum rate', () => {
    const vault = limited({ real: 1_050_000n * USDC, lastAssets: 1_000_000n * USDC, maxRate: 1585489599n });
    const totals = rateLimitedTotals(vault);
    expect(totals.assets).toBe(1_000_005_707_762n);
    expect(totals.undistributed).toBe(49_994_292_238n);
    expect(rateLimitedTotals({ ...vault, elapsed: YEAR + 60n }).undistributed).toBe(0n);
  });

  it('takes its management fee without interest', () => {
    const totals = rateLimitedTotals(limited({ elapsed: YEAR, managementFee: 317097919n }));
    expect(totals.managementFeeShares).toBe(10_101_010_073_461_789_614_056n);
    expect(assetsFor(SHARE, totals)).toBe(990_000n);
    const hour = rateLimitedTotals(limited({ managementFee: 317097919n }));
    const fallBps = (1 - Number(priceText(hour, DECIMALS))) * 10_000;
    expect(fallBps).toBeCloseTo(0.0114, 4);
  });

  it('takes its performance fee of distributed interest only', () => {
    const half = rateLimitedTotals(
      limited({
        real: 1_050_000n * USDC,
        lastAssets: 1_000_000n * USDC,
        maxRate: 1585489599n,
        performanceFee: WAD / 2n,
      }),
    );
    const without = { assets: half.assets - 2_853_881n, shares: 10n ** 24n, virtual: morphoVirtual(6) };
    expect(half.performanceFeeShares).toBe(sharesFor(2_853_881n, without));
    expect(half.managementFeeShares).toBe(0n);
  });

  it('shows a loss at once', () => {
    const totals = rateLimitedTotals(limited({ real: 975n * 10n ** 9n }));
    expect(totals).toMatchObject({ assets: 975n * 10n ** 9n, undistributed: 0n });
  });

  it('has no totals when its fees exceed its assets', () => {
    expect(() => rateLimitedTotals(limited({ elapsed: 200n * YEAR, managementFee: 1585489599n }))).toThrow(
      /fees exceed/,
    );
  });
});

describe('other vaults', () => {
  it('of Euler Earn add a million to both sides', () => {
    const totals = { assets: 10n ** 12n, shares: 10n ** 12n, virtual: EULER_VIRTUAL };
    expect(assetsFor(10n ** 6n, totals)).toBe(10n ** 6n);
    expect(assetsFor(10n ** 6n, { ...totals, assets: 2n * 10n ** 12n })).toBe(1_999_999n);
  });

  it('of Yearn are worth as many assets as shares while they are empty', () => {
    const none = { assets: 0n, shares: 0n, virtual: NO_VIRTUAL };
    expect([assetsFor(5n, none), sharesFor(5n, none)]).toEqual([5n, 5n]);
  });

  it('whose shares lost everything issue none', () => {
    expect(sharesFor(5n, { assets: 0n, shares: 7n, virtual: NO_VIRTUAL })).toBe(0n);
  });
});

describe('any totals', () => {
  const totals = fc.record({
    assets: fc.bigInt(0n, 10n ** 38n),
    shares: fc.bigInt(0n, 10n ** 38n),
    virtual: fc.constantFrom(morphoVirtual(6), morphoVirtual(18), EULER_VIRTUAL),
  });

  it('never return more assets than were paid for shares', () => {
    fc.assert(
      fc.property(totals, fc.bigInt(0n, 10n ** 30n), (before, amount) => {
        const { shares, totals: after } = deposited(before, amount);
        expect(assetsFor(shares, after) <= amount).toBe(true);
      }),
    );
  });

  it('are backed by at most the quoted price', () => {
    fc.assert(
      fc.property(totals, fc.bigInt(0n, 10n ** 38n), fc.nat(100), (quoted, real, percent) => {
        const backing = { quoted, real, givenUp: (quoted.shares * BigInt(percent)) / 100n };
        const backed = backedTotals(backing);
        expect(assetsFor(SHARE, backed) <= assetsFor(SHARE, quoted)).toBe(true);
      }),
    );
  });
});
