// Oracles of markets as rows of the raw tables, built from their legs as the contract would compute them.
import type { CaseRow } from '../../../support/case-file.ts';
import { priceOf } from '../../../../jobs/families/oracle-paths/oracle-arithmetic.ts';
import { NOW } from './path-models.ts';

export interface Leg {
  readonly side: 'base' | 'quote';
  readonly role: 'feed' | 'vault';
  readonly contract: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly decimals: number;
  readonly value: bigint | null;
  readonly more?: CaseRow;
}

export interface Oracle {
  readonly market_id: string;
  readonly collateral: readonly [symbol: string | null, decimals: number];
  readonly loan: readonly [symbol: string, decimals: number];
  readonly legs: readonly Leg[];
  /** Exponent of the scale factor, if it is not the right one. */
  readonly scale?: bigint;
  readonly price?: bigint;
  readonly at?: number;
  readonly more?: CaseRow;
}

export const feed = (
  side: 'base' | 'quote',
  [from, to]: readonly [string | null, string | null],
  value: bigint | null,
  more: Partial<Leg> = {},
): Leg => ({
  side,
  role: 'feed',
  contract: `0xfeed-${from}-${to}`.toLowerCase(),
  from,
  to,
  decimals: 8,
  value,
  ...more,
});

export const vault = (
  side: 'base' | 'quote',
  [share, asset]: readonly [string, string],
  value: bigint,
  more: Partial<Leg> = {},
): Leg => ({
  side,
  role: 'vault',
  contract: `0xvault-${share}`.toLowerCase(),
  from: share,
  to: asset,
  decimals: 6,
  value,
  more: { share_decimals: 18, sample: String(10n ** 18n), kind: 'erc4626', ...more.more },
  ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'more')),
});

const ofSide = (legs: readonly Leg[], side: 'base' | 'quote') =>
  legs.filter(
    (leg) => leg.side === side && leg.more?.['parent_index'] == null && leg.more?.['is_standby'] !== true,
  );

/** Scale that a right oracle over these legs has. */
export function scaleOf({ collateral, loan, legs }: Pick<Oracle, 'collateral' | 'loan' | 'legs'>): bigint {
  const sideOf = (side: 'base' | 'quote') => {
    const own = ofSide(legs, side);
    const vaulted = own.find(({ role }) => role === 'vault');
    return {
      token: vaulted?.decimals ?? (side === 'base' ? collateral[1] : loan[1]),
      sample: BigInt(String(vaulted?.more?.['sample'] ?? 1)),
      feeds: own.filter(({ role }) => role === 'feed').reduce((sum, { decimals }) => sum + decimals, 0),
    };
  };
  const [base, quote] = [sideOf('base'), sideOf('quote')];
  const exponent = 36 + quote.token + quote.feeds - base.token - base.feeds;
  return (10n ** BigInt(exponent) * quote.sample) / base.sample;
}

const joined = (legs: readonly Leg[], side: 'base' | 'quote') =>
  ofSide(legs, side)
    .map(({ value }) => String(value))
    .join('*') || '1';

const TIMELESS = { valid_from: 0, valid_to: 253402300799 };

const marketOf = ({ market_id, collateral, loan }: Oracle): CaseRow => ({
  chain: 'ethereum',
  market_id,
  collateral_symbol: collateral[0],
  loan_symbol: loan[0],
  lltv: 0.86,
  ...TIMELESS,
});

const legOf = (leg: Leg): CaseRow => ({
  side: leg.side,
  role: leg.role,
  contract: leg.contract,
  kind: 'chainlink',
  kind_by: 'registry',
  from_symbol: leg.from,
  to_symbol: leg.to,
  pair_by: 'registry',
  decimals: leg.decimals,
  value: leg.value === null ? null : leg.value.toString(),
  source_id: 'test',
  ...leg.more,
});

function headerOf(oracle: Oracle): CaseRow {
  const { collateral, loan, legs } = oracle;
  const scale = oracle.scale ?? scaleOf(oracle);
  const factors = (side: 'base' | 'quote') => ofSide(legs, side).map(({ value }) => value ?? 1n);
  const price = oracle.price ?? priceOf({ scale, base: factors('base'), quote: factors('quote') });
  return {
    price: price === null ? null : price.toString(),
    kind: 'morpho_v2',
    kind_by: 'factory',
    loan_decimals: loan[1],
    collateral_decimals: collateral[1],
    leg_count: legs.length,
    scale_factor: scale.toString(),
    base_factors: joined(legs, 'base'),
    quote_factors: joined(legs, 'quote'),
    source_id: 'test',
    ...oracle.more,
  };
}

export function rowsOf(oracle: Oracle) {
  const { market_id, legs, at = NOW - 600 } = oracle;
  const key = { chain: 'ethereum', market_id, oracle_address: `0xoracle-${market_id}`, observed_at: at };
  return {
    header: { ...key, ...headerOf(oracle) },
    market: marketOf(oracle),
    legs: legs.map((leg, leg_index) => ({ ...key, leg_index, ...legOf(leg) })),
  };
}
