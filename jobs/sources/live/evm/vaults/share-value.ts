// What vaults and their shares are worth, in the integer arithmetic of their contracts: total assets, losses, shares of fees not minted yet,
// and conversions. Sources: morpho-org/metamorpho, metamorpho-v1.1 and vault-v2, euler-xyz/euler-earn, yearn/yearn-vaults-v3.
import { floorSub, minOf, WAD } from './morpho-interest.ts';

export type VaultKind =
  | 'morpho_v1_0'
  | 'morpho_v1_1'
  | 'morpho_v2'
  | 'euler_earn'
  | 'yearn_v3'
  | 'erc4626'
  | 'unknown';

/** What does not change while a vault stays of its kind. */
export interface VaultFacts {
  readonly kind: VaultKind;
  readonly asset: string;
  readonly assetDecimals: number;
  readonly shareDecimals: number;
}

/** What a contract adds to both sides of a conversion: to assets, and to shares. */
export interface VirtualAmounts {
  readonly assets: bigint;
  readonly shares: bigint;
}

const MORPHO_SHARE_DECIMALS = 18;

/** Morpho's vaults of both versions give shares at least 18 decimals. */
export const morphoVirtual = (assetDecimals: number): VirtualAmounts => ({
  assets: 1n,
  shares: 10n ** BigInt(Math.max(0, MORPHO_SHARE_DECIMALS - assetDecimals)),
});
export const EULER_VIRTUAL: VirtualAmounts = { assets: 10n ** 6n, shares: 10n ** 6n };
export const NO_VIRTUAL: VirtualAmounts = { assets: 0n, shares: 0n };

/** All assets and shares of a vault, shares of fees not minted yet included. */
export interface ShareTotals {
  readonly assets: bigint;
  readonly shares: bigint;
  readonly virtual: VirtualAmounts;
}

/** Assets for shares, rounded down; as many as shares if the vault has none, as Yearn does. */
export function assetsFor(amount: bigint, { assets, shares, virtual }: ShareTotals): bigint {
  const divisor = shares + virtual.shares;
  return divisor === 0n ? amount : (amount * (assets + virtual.assets)) / divisor;
}

/** Shares for assets, rounded down. A vault whose shares are worth nothing returns none. */
export function sharesFor(amount: bigint, { assets, shares, virtual }: ShareTotals): bigint {
  if (shares + virtual.shares === 0n) return amount;
  const divisor = assets + virtual.assets;
  return divisor === 0n ? 0n : (amount * (shares + virtual.shares)) / divisor;
}

// Vaults that book gains at the next interaction: Morpho version 1.0, version 1.1, which keeps losses out of its price, and Euler Earn, which
// follows version 1.1.

export interface BookedVault {
  /** Accrued assets of all positions. */
  readonly positions: bigint;
  readonly supply: bigint;
  /** Assets at the last interaction. */
  readonly lastAssets: bigint;
  /** Losses that the contract has booked; null if it lowers its price by losses. */
  readonly lost: bigint | null;
  /** Share of the interest, in 10^18ths. */
  readonly fee: bigint;
  readonly virtual: VirtualAmounts;
}

export interface BookedTotals extends ShareTotals {
  /** Losses that the price does not show. */
  readonly lost: bigint;
  readonly feeShares: bigint;
}

/** The vault as its contract quotes it, with shares of the fee on gains since the last interaction. */
export function bookedTotals(vault: BookedVault): BookedTotals {
  const { positions, supply, lastAssets, virtual } = vault;
  const lost = vault.lost === null ? 0n : lostBy(positions, lastAssets, vault.lost);
  const assets = positions + lost;
  const feeAssets = (floorSub(assets, lastAssets) * vault.fee) / WAD;
  const feeShares = sharesFor(feeAssets, { assets: assets - feeAssets, shares: supply, virtual });
  return { assets, shares: supply + feeShares, virtual, lost, feeShares };
}

/** Losses grow when positions are worth less than what was booked, and never shrink by a gain. */
const lostBy = (positions: bigint, lastAssets: bigint, lost: bigint): bigint =>
  positions < lastAssets - lost ? lastAssets - positions : lost;

// Morpho version 2: gains are spread by a maximum rate, losses count at once, and there are two fees.

export interface RateLimitedVault {
  /** Its own balance and the accrued assets of all adapters. */
  readonly real: bigint;
  readonly supply: bigint;
  /** Assets at the last interaction. */
  readonly lastAssets: bigint;
  /** Seconds since the last interaction. */
  readonly elapsed: bigint;
  /** Per second, in 10^18ths. */
  readonly maxRate: bigint;
  /** Share of distributed interest, in 10^18ths; 0 if its recipient may not receive shares. */
  readonly performanceFee: bigint;
  /** Of the assets per second, in 10^18ths; 0 if its recipient may not receive shares. */
  readonly managementFee: bigint;
  readonly virtual: VirtualAmounts;
}

export interface RateLimitedTotals extends ShareTotals {
  /** Real assets that the price does not show yet. */
  readonly undistributed: bigint;
  readonly performanceFeeShares: bigint;
  readonly managementFeeShares: bigint;
}

export function rateLimitedTotals(vault: RateLimitedVault): RateLimitedTotals {
  const { real, supply, lastAssets, elapsed, virtual } = vault;
  const assets = minOf(real, lastAssets + (lastAssets * elapsed * vault.maxRate) / WAD);
  const performance = (floorSub(assets, lastAssets) * vault.performanceFee) / WAD;
  const management = (assets * elapsed * vault.managementFee) / WAD;
  // A vault that no one has used for decades would owe more than it has; its contract reverts then.
  if (performance + management > assets) throw new RangeError('The fees exceed the assets of the vault.');
  const withoutFees = { assets: assets - performance - management, shares: supply, virtual };
  const performanceFeeShares = sharesFor(performance, withoutFees);
  const managementFeeShares = sharesFor(management, withoutFees);
  return {
    assets,
    shares: supply + performanceFeeShares + managementFeeShares,
    virtual,
    undistributed: real - assets,
    performanceFeeShares,
    managementFeeShares,
  };
}

// What is really behind the shares. Shares of address(1) are a deposit made for everyone, for example to make up a loss.

export interface Backing {
  readonly quoted: ShareTotals;
  /** Assets of all positions, and the balance if the contract counts it. */
  readonly real: bigint;
  /** Shares of address(1), which are never redeemed. */
  readonly givenUp: bigint;
}

/** The totals by which a share is backed; at most as much a share as the contract quotes. */
export function backedTotals({ quoted, real, givenUp }: Backing): ShareTotals {
  const backed = { assets: real, shares: quoted.shares - givenUp, virtual: quoted.virtual };
  return isDearer(backed, quoted) ? quoted : backed;
}

const isDearer = (a: ShareTotals, b: ShareTotals): boolean =>
  (a.assets + a.virtual.assets) * (b.shares + b.virtual.shares) >
  (b.assets + b.virtual.assets) * (a.shares + a.virtual.shares);
