// What the oracles behind a position make doubtful, with its part of the debt that is not covered: a supplier bears the share of it that it
// has of the supply. What is not known is null with a gap, and never makes a doubt go away.
import type { LendingMarket } from '../schemas/lending.ts';
import type { OracleDoubt, OracleDoubtReason, OracleDoubts } from '../schemas/oracle-doubts.ts';
import type { OraclePath } from '../schemas/oracle-paths.ts';
import { usd } from './rounding.ts';

/** The rows of a market that a version has. */
export interface MarketRows {
  readonly state: Pick<LendingMarket, 'supplied_usd' | 'borrowed_usd' | 'state_status'> | undefined;
  readonly path: OraclePath | undefined;
}

export interface MarketClaim {
  /** `<chain>:<market_id>` */
  readonly market: string;
  readonly amount_usd: number;
}

export interface DoubtInput {
  /** The same market may occur several times. */
  readonly claims: readonly MarketClaim[];
  readonly marketOf: (id: string) => MarketRows;
  /** The version has oracle paths. */
  readonly hasPaths: boolean;
  /** Share of the position that is in no known market and may be lent there. */
  readonly hiddenShare: number;
}

type Figures = Pick<OracleDoubt, 'loss_low_usd' | 'loss_high_usd' | 'phantom_interest_usd_day'>;
const FIGURES = ['loss_low_usd', 'loss_high_usd', 'phantom_interest_usd_day'] as const;

export function oracleDoubtsOf({ claims, marketOf, hasPaths, hiddenShare }: DoubtInput): OracleDoubts {
  const amounts = new Map<string, number>();
  for (const { market, amount_usd } of claims) amounts.set(market, (amounts.get(market) ?? 0) + amount_usd);
  const all = [...amounts].flatMap(([market, amount_usd]) => {
    const doubt = doubtOf({ market, amount_usd }, marketOf(market), hasPaths);
    return doubt === null ? [] : [doubt];
  });
  const markets = all.toSorted((a, b) => b.amount_usd - a.amount_usd || (a.market < b.market ? -1 : 1));
  const hidden = hiddenShare > 0 ? ['lookthrough_incomplete'] : [];
  return { ...sumOf(markets, hidden), markets };
}

/** Figures that are null for one part are null for the whole. */
export function sumOf(
  parts: readonly (Figures & Pick<OracleDoubt, 'gaps'>)[],
  more: readonly string[] = [],
): Figures & Pick<OracleDoubt, 'gaps'> {
  const total = (name: keyof Figures) =>
    more.length > 0 || parts.some((part) => part[name] === null)
      ? null
      : usd(parts.reduce((sum, part) => sum + (part[name] ?? 0), 0));
  const [loss_low_usd, loss_high_usd, phantom_interest_usd_day] = FIGURES.map(total);
  return {
    loss_low_usd: loss_low_usd ?? null,
    loss_high_usd: loss_high_usd ?? null,
    phantom_interest_usd_day: phantom_interest_usd_day ?? null,
    gaps: [...new Set([...parts.flatMap(({ gaps }) => gaps), ...more])].toSorted(),
  };
}

/** Null if everything about the oracle is known and holds, or nothing is lent. */
function doubtOf(
  { market, amount_usd }: MarketClaim,
  { state, path }: MarketRows,
  hasPaths: boolean,
): OracleDoubt | null {
  if (isIdle(state)) return null;
  if (path === undefined)
    return {
      market,
      reasons: ['path_unknown', 'bad_debt_unknown'],
      assumptions: [],
      amount_usd: usd(amount_usd),
      ...NOTHING_KNOWN,
      gaps: [hasPaths ? 'oracle_path_unknown' : 'oracle_paths_missing'],
    };
  const reasons = reasonsOf(path);
  if (reasons.length === 0) return null;
  const { figures, gaps } = figuresOf(amount_usd, state, path);
  const assumptions = path.assumptions.filter(({ is_broken }) => is_broken !== false).map(({ id }) => id);
  return { market, reasons, assumptions, amount_usd: usd(amount_usd), ...figures, gaps };
}

const NOTHING_KNOWN: Figures = { loss_low_usd: null, loss_high_usd: null, phantom_interest_usd_day: null };

/** Only a fresh state says that nothing is lent. */
const isIdle = (state: MarketRows['state']): boolean =>
  state?.state_status === 'fresh' && state.borrowed_usd === 0;

const OF_VERDICT: Readonly<Record<OraclePath['verdict'], readonly OracleDoubtReason[]>> = {
  verified: [],
  unverified: ['path_unverified'],
  unknown: ['path_unknown'],
  wrong: ['path_wrong'],
};

function reasonsOf(path: OraclePath): OracleDoubtReason[] {
  const { assumptions, unrealised_bad_debt_low_usd: low, unrealised_bad_debt_high_usd: high } = path;
  const isUnjudged = path.is_broken === null || assumptions.some(({ is_broken }) => is_broken === null);
  return [
    ...(path.is_broken === true ? (['assumption_broken'] as const) : []),
    ...(isUnjudged && path.verdict !== 'unknown' ? (['assumption_unjudged'] as const) : []),
    ...OF_VERDICT[path.verdict],
    ...(low === null || high === null ? (['bad_debt_unknown'] as const) : []),
    ...(high !== null && high > 0 ? (['bad_debt'] as const) : []),
    ...((path.phantom_interest_usd_day ?? 0) > 0 ? (['phantom_interest'] as const) : []),
  ];
}

function figuresOf(amount: number, state: MarketRows['state'], path: OraclePath) {
  const supplied = state?.supplied_usd ?? null;
  const share = supplied === null || supplied <= 0 ? null : Math.min(1, amount / supplied);
  const part = (figure: number | null) =>
    figure === 0 ? 0 : figure === null || share === null ? null : usd(Math.min(amount, figure * share));
  const { unrealised_bad_debt_low_usd: low, unrealised_bad_debt_high_usd: high } = path;
  const isKnown = low !== null && high !== null;
  const figures: Figures = {
    loss_low_usd: isKnown ? part(low) : null,
    loss_high_usd: isKnown ? part(high) : null,
    phantom_interest_usd_day: part(path.phantom_interest_usd_day),
  };
  const isSupplyMissing =
    share === null && [low, high, path.phantom_interest_usd_day].some((one) => (one ?? 0) > 0);
  const isRateMissing = isKnown && path.phantom_interest_usd_day === null;
  const gaps = [
    ...path.gaps,
    ...(isSupplyMissing ? ['supply_unknown'] : []),
    ...(isRateMissing ? ['rate_unknown'] : []),
  ];
  return { figures: isSupplyMissing ? NOTHING_KNOWN : figures, gaps };
}
