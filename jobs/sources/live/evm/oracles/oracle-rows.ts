// Rows of the raw tables `oracle_price` and `oracle_leg`, numbers of 256 bits as digits.
import type { OraclePath } from './oracle-legs.ts';

type Row = { readonly [field: string]: string | number | boolean | null };

export interface BlockFacts {
  readonly chain: string;
  readonly observed_at: number;
  readonly block_number: number;
}

export function oraclePriceRow({ block_number, ...at }: BlockFacts, path: OraclePath): Row {
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
    ...changeOf(path),
  };
}

const MAX_SYMBOL = 64;
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

export const oracleLegRows = ({ chain, observed_at }: BlockFacts, path: OraclePath): readonly Row[] =>
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
    from_symbol: leg.pair?.from.slice(0, MAX_SYMBOL) ?? null,
    to_symbol: leg.pair?.to.slice(0, MAX_SYMBOL) ?? null,
    pair_by: leg.pair?.by ?? null,
    decimals: leg.decimals,
    share_decimals: leg.shareDecimals,
    sample: leg.source.sample?.toString() ?? null,
    ...(leg.value === null ? { unread_reason: 'reverted' } : { value: leg.value.toString() }),
    answered_at: secondsOf(leg.answeredAt),
    min_value: leg.bounds?.min.toString() ?? null,
    max_value: leg.bounds?.max.toString() ?? null,
    cap: leg.cap?.toString() ?? null,
    parameters: Object.keys(leg.parameters).length === 0 ? null : JSON.stringify(leg.parameters),
    changed_by: leg.changedBy?.account ?? null,
    changed_how: leg.changedBy?.how ?? null,
  }));
