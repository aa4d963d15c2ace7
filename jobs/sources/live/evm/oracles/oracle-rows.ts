// Rows of the raw tables `oracle_price` and `oracle_leg`, numbers of 256 bits as digits.
import type { OraclePath } from './oracle-legs.ts';

type Row = { readonly [field: string]: string | number | boolean | null };

export interface BlockFacts {
  readonly chain: string;
  readonly observed_at: number;
  readonly block_number: number;
}

/** What runs at each address that has been read; an address that is missing has not. */
export type Codes = ReadonlyMap<
  string,
  { readonly hash: string | null; readonly implementation: string | null; readonly admin: string | null }
>;

const codeOf = (codes: Codes, contract: string): Row => {
  const { hash = null, implementation = null } = codes.get(contract) ?? {};
  return {
    ...(implementation === null ? {} : { implementation }),
    ...(hash === null ? {} : { code_hash: hash }),
  };
};

export function oraclePriceRow({ block_number, ...at }: BlockFacts, path: OraclePath, codes: Codes): Row {
  const { oracle, tokens, inUse, legs } = path;
  return {
    ...at,
    market_id: path.marketId,
    oracle_address: oracle.oracle,
    block_number,
    ...(oracle.price === null ? { unread_reason: 'reverted' } : { price: oracle.price.toString() }),
    loan_decimals: tokens.loan?.decimals ?? null,
    collateral_decimals: tokens.collateral?.decimals ?? null,
    kind: oracle.kind,
    kind_by: oracle.kindBy,
    ...(inUse === null
      ? {}
      : { leg_count: legs.length, scale_factor: inUse.scale.toString(), ...factorsOf(path) }),
    ...(oracle.kind === 'aave' ? { price_decimals: AAVE_DECIMALS } : {}),
    ...codeOf(codes, oracle.oracle),
    ...changeOf(path),
  };
}

export interface PriceFacts {
  readonly market_id: string;
  readonly oracle_address: string;
  readonly price: bigint | null;
  readonly kind: string;
  readonly kind_by: string;
  readonly loan_decimals: number | null;
  readonly collateral_decimals: number | null;
}

/** A price without the legs, which are read less often. */
export const barePriceRow = (at: BlockFacts, { price, ...known }: PriceFacts): Row => ({
  ...at,
  ...known,
  ...(price === null ? { unread_reason: 'reverted' } : { price: price.toString() }),
  ...(known.kind === 'aave' ? { price_decimals: AAVE_DECIMALS } : {}),
});

/** Aave's markets over USD state their prices with so many. */
const AAVE_DECIMALS = 8;
/** The end of the year 9999, Unix seconds. */
const MAX_SECONDS = 253_402_300_799n;

/** Null for a number that is no time: contracts may state any. */
const secondsOf = (value: bigint | null): number | null =>
  value === null || value < 0n || value > MAX_SECONDS ? null : Number(value);

/** Only the path in use has factors, and only if all its legs have answered with a number that it can multiply. */
function factorsOf({ legs }: OraclePath): Row {
  const used = legs.filter(({ isStandby, parent }) => !isStandby && parent === null);
  if (used.some(({ value }) => value === null || value < 0n)) return {};
  const product = (side: 'base' | 'quote') => {
    const values = used.filter(({ source }) => source.side === side).map(({ value }) => String(value));
    return values.length === 0 ? '1' : values.join('*');
  };
  return { base_factors: product('base'), quote_factors: product('quote') };
}

/** Whoever challenges a meta oracle changes it; an oracle from Morpho's factory cannot be changed. */
function changeOf({ oracle, standbyPrice }: OraclePath): Row {
  if (oracle.kind === 'meta')
    return {
      changed_by: 'anyone',
      changed_how: 'challenge',
      change_delay_s: secondsOf(oracle.challengeS),
      standby_address: oracle.standby,
      standby_price: standbyPrice?.toString() ?? null,
      deviation_threshold: oracle.threshold.toString(),
      challenge_timelock_s: secondsOf(oracle.challengeS),
      healing_timelock_s: secondsOf(oracle.healingS),
    };
  return oracle.kindBy === 'factory' ? { changed_by: 'no_one', changed_how: 'immutable' } : {};
}

export const oracleLegRows = (
  { chain, observed_at }: BlockFacts,
  path: OraclePath,
  codes: Codes,
): readonly Row[] =>
  path.legs.map((leg, index) => ({
    chain,
    observed_at,
    market_id: path.marketId,
    oracle_address: path.oracle.oracle,
    leg_index: index,
    parent_index: leg.parent,
    is_standby: leg.isStandby,
    side: leg.source.side,
    role: leg.source.role,
    contract: leg.source.contract,
    kind: leg.kind,
    kind_by: 'interface',
    from_symbol: leg.pair?.from ?? null,
    to_symbol: leg.pair?.to ?? null,
    pair_by: leg.pair?.by ?? null,
    decimals: leg.decimals,
    share_decimals: leg.shareDecimals,
    sample: leg.source.sample?.toString() ?? null,
    ...(leg.value === null ? { unread_reason: leg.unreadReason } : { value: leg.value.toString() }),
    ...codeOf(codes, leg.source.contract),
    answered_at: secondsOf(leg.answeredAt),
    min_value: leg.bounds?.min.toString() ?? null,
    max_value: leg.bounds?.max.toString() ?? null,
    cap: leg.cap?.toString() ?? null,
    parameters: Object.keys(leg.parameters).length === 0 ? null : JSON.stringify(leg.parameters),
    ...changerOf(leg, codes),
  }));

/** Whoever may replace the implementation changes a proxy, whatever else can be set in it. */
function changerOf({ source, changedBy }: OraclePath['legs'][number], codes: Codes): Row {
  const admin = codes.get(source.contract)?.admin ?? null;
  if (admin !== null) return { changed_by: admin, changed_how: 'proxy_admin' };
  return { changed_by: changedBy?.account ?? null, changed_how: changedBy?.how ?? null };
}
