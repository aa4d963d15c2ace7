// The share prices of a vault, from its totals: in whole numbers on the way to landing, because SQL has no 256-bit integers. What a total
// that is missing would change is not computed.
import type { Enrichment, RowBatch } from '../../define/raw-table.ts';

/** Digits after the point of a price and of a coverage. */
const PLACES = 18n;
const ONE = 10n ** PLACES;
const EULER_VIRTUAL = 10n ** 6n;

export interface VaultTotals {
  readonly kind: string;
  readonly assetDecimals: number;
  readonly shareDecimals: number;
  /** Quoted assets, smallest unit. */
  readonly assets: bigint;
  readonly supply: bigint;
  /** Shares that the contract would mint for fees; null if unknown. */
  readonly feeShares: bigint | null;
  readonly addressOneShares: bigint;
  /** Value of everything that backs the shares; null if unknown. */
  readonly realAssets: bigint | null;
  /** Whether the vault may take a fee; null if unknown. */
  readonly hasFee: boolean | null;
}

export interface SharePrices {
  /** In units of 10^-18 of the asset for one whole share. */
  readonly quoted: bigint | null;
  readonly backed: bigint | null;
  /** In 10^18ths, at most one. */
  readonly coverage: bigint | null;
  /** Smallest unit of the asset. */
  readonly lost: bigint | null;
}

const UNKNOWN: SharePrices = { quoted: null, backed: null, coverage: null, lost: null };

/** The amounts that a contract adds to assets and shares before it divides; null for a contract whose formula is not known. */
function virtualAmounts({ kind, assetDecimals }: VaultTotals): { assets: bigint; shares: bigint } | null {
  if (kind.startsWith('morpho_'))
    return { assets: 1n, shares: 10n ** BigInt(Math.max(0, 18 - assetDecimals)) };
  if (kind === 'euler_earn') return { assets: EULER_VIRTUAL, shares: EULER_VIRTUAL };
  return kind === 'yearn_v3' || kind === 'erc4626' ? { assets: 0n, shares: 0n } : null;
}

/** Kinds whose supply lacks the shares that the next interaction mints for fees. */
const mintsFees = (kind: string): boolean => kind.startsWith('morpho_') || kind === 'euler_earn';

export function sharePrices(totals: VaultTotals): SharePrices {
  const virtual = virtualAmounts(totals);
  const fees =
    mintsFees(totals.kind) && totals.hasFee !== false ? totals.feeShares : (totals.feeShares ?? 0n);
  if (virtual === null || fees === null) return UNKNOWN;
  const unit = {
    numerator: 10n ** BigInt(totals.shareDecimals),
    denominator: 10n ** BigInt(totals.assetDecimals),
  };
  const supply = totals.supply + fees;
  const priceOf = (assets: bigint, shares: bigint): bigint | null => {
    const denominator = (shares + virtual.shares) * unit.denominator;
    return denominator > 0n ? ((assets + virtual.assets) * unit.numerator * ONE) / denominator : null;
  };
  const quoted = supply === 0n && totals.kind === 'yearn_v3' ? ONE : priceOf(totals.assets, supply);
  if (quoted === null) return UNKNOWN;
  const real = totals.kind === 'morpho_v1_0' ? (totals.realAssets ?? totals.assets) : totals.realAssets;
  if (real === null || totals.kind === 'erc4626' || totals.addressOneShares > supply)
    return { ...UNKNOWN, quoted };
  if (supply === totals.addressOneShares) return { ...UNKNOWN, quoted };
  const ownAssets =
    totals.assets - (totals.addressOneShares * (totals.assets + virtual.assets)) / (supply + virtual.shares);
  return {
    quoted,
    backed: least(quoted, priceOf(real, supply - totals.addressOneShares) ?? quoted),
    coverage: ownAssets > 0n ? least(ONE, (real * ONE) / ownAssets) : null,
    lost: ownAssets > real ? ownAssets - real : 0n,
  };
}

const least = (left: bigint, right: bigint): bigint => (left < right ? left : right);

/** Increment with every change of what totals give. */
const FORMULA_VERSION = 1;

type Value = string | number | boolean | null | undefined;

export const exactPrices: Enrichment = {
  takes: [],
  reads: [
    ...['kind', 'asset_decimals', 'share_decimals', 'total_assets', 'total_supply', 'fee_shares'],
    ...['address_one_shares', 'real_assets', 'performance_fee', 'management_fee'],
  ],
  fills: ['exact_share_price', 'exact_backed_share_price', 'exact_coverage', 'exact_lost_assets'],
  version: FORMULA_VERSION,
  fill({ count, columns }) {
    const rows = Array.from({ length: count }, (_, at) => pricesOf(columns, at));
    return {
      exact_share_price: rows.map(({ quoted }) => decimal(quoted)),
      exact_backed_share_price: rows.map(({ backed }) => decimal(backed)),
      exact_coverage: rows.map(({ coverage }) => decimal(coverage)),
      exact_lost_assets: rows.map(({ lost }) => lost?.toString() ?? null),
    };
  },
};

function pricesOf(columns: RowBatch['columns'], at: number): SharePrices {
  const value = (name: string): Value => columns[name]?.[at];
  const whole = (name: string) => wholeNumber(value(name));
  const [assets, supply] = [whole('total_assets'), whole('total_supply')];
  const [assetDecimals, shareDecimals] = [whole('asset_decimals'), whole('share_decimals')];
  const kind = value('kind');
  if (assets === null || supply === null || assetDecimals === null || shareDecimals === null) return UNKNOWN;
  if (typeof kind !== 'string' || assetDecimals > MAX_DECIMALS || shareDecimals > MAX_DECIMALS)
    return UNKNOWN;
  return sharePrices({
    kind: kind.toLowerCase(),
    assetDecimals: Number(assetDecimals),
    shareDecimals: Number(shareDecimals),
    assets,
    supply,
    feeShares: whole('fee_shares'),
    addressOneShares: whole('address_one_shares') ?? 0n,
    realAssets: whole('real_assets'),
    hasFee: hasFee(whole('performance_fee'), whole('management_fee'), kind),
  });
}

/** Rows that the checks refuse pass through too, with larger decimals or with text that is no number. */
const MAX_DECIMALS = 36n;

function hasFee(performance: bigint | null, management: bigint | null, kind: string): boolean | null {
  // Only V2 takes a fee on total assets.
  const onAssets = kind.toLowerCase() === 'morpho_v2' ? management : (management ?? 0n);
  if (performance === 0n && onAssets === 0n) return false;
  return performance === null || onAssets === null ? null : true;
}

function wholeNumber(value: Value): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : null;
}

/** Text with 18 places. */
function decimal(value: bigint | null): string | null {
  if (value === null) return null;
  const digits = value.toString().padStart(Number(PLACES) + 1, '0');
  return `${digits.slice(0, -Number(PLACES))}.${digits.slice(-Number(PLACES))}`;
}
