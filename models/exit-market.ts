// Turns published inputs into the input of an exit simulation: the hours for which flow and return are both known, returns in units of
// their deviation, and the block length. Missing inputs are returned as gaps.
import { HOUR_S } from '../platform/base/time.ts';
import type { AnalyticsGapEntry, ExitInputs, ReturnInputs } from '../schemas/analytics.ts';
import { BUCKET_BOUNDS, bucketOf, type ExitMarket } from './exit.ts';
import { gapOf } from './gaps.ts';
import { MIN_BUCKET_ROWS } from './history-walk.ts';
import { type BlockHours, blockHoursOf, stretchEnds, volatilityOf } from './joint-returns.ts';
import { type Depth, reportedDepth } from './pool-depth.ts';
import { roundTo } from './rounding.ts';
import { withdrawableFrom } from './withdrawable.ts';

/** Minimum number of known hours for any figure, and for one about 1 % of the paths. */
export const MIN_HOURS = 336;
export const MIN_TAIL_HOURS = 720;

export interface ExitBasis {
  /** Null if the history is short, or the state or the depth is unknown: a position that cannot be sold has not left. */
  readonly market: ExitMarket | null;
  /** The market reports more as withdrawable than is supplied and not borrowed; the latter is used. */
  readonly is_limited: boolean;
  readonly has_price: boolean;
  readonly hours_known: number;
  /** Start of the first known hour and end of the last one. */
  readonly from: number | null;
  readonly to: number | null;
  /** Bucket in which the simulation begins, and the number of hours in each bucket. */
  readonly bucket: number | null;
  readonly bucket_rows: readonly number[];
  readonly feeds: readonly string[];
  readonly gaps: readonly AnalyticsGapEntry[];
}

/**
 * `returns` are those of the lent asset; null without a price. `utilization` replaces the published state, and `depth` the depth that a
 * source of the market reports.
 */
export function exitBasis(
  exit: ExitInputs,
  returns: ReturnInputs | null,
  utilization: number | null,
  depth: Depth | null = reportedDepth(exit.depth_usd),
): ExitBasis {
  const hours = jointHours(exit, returns);
  const history = historyOf(exit, hours);
  const state = stateOf(exit, utilization);
  const block = blockOf(hours);
  const isShort = hours.flow.length < MIN_HOURS;
  const gaps = [
    ...(isShort ? [gapOf('history_short', { have_hours: hours.flow.length, need_hours: MIN_HOURS })] : []),
    ...(state === null ? [gapOf('state_unknown', { subject: exit.id })] : []),
    ...(returns === null ? [gapOf('price_unknown', { subject: exit.loan_symbol })] : []),
    ...(depth?.isExact === true
      ? []
      : [gapOf(depth === null ? 'depth_unknown' : 'curve_implied', { subject: exit.id })]),
    ...(block.is_assumed && !isShort ? [gapOf('block_length_assumed')] : []),
  ];
  const bucket_rows = BUCKET_BOUNDS.map((_, bucket) => history.bucket.filter((own) => own === bucket).length);
  const rows = { history, flow: hours.flow, z: hours.z, sigma_now: hours.sigma_now };
  const amounts = state && { supplied_usd: state.supplied_usd, withdrawable_usd: state.withdrawable_usd };
  return {
    market:
      isShort || amounts === null || depth === null
        ? null
        : { ...amounts, depth_usd: depth.usd, block_hours: block.value, ...rows },
    is_limited: state?.is_limited ?? false,
    has_price: returns !== null,
    hours_known: hours.flow.length,
    from: hours.hour[0] ?? null,
    to: hours.hour.length === 0 ? null : (hours.hour.at(-1) ?? 0) + HOUR_S,
    bucket: state === null ? null : bucketOf(1 - state.withdrawable_usd / state.supplied_usd),
    bucket_rows,
    feeds: returns?.feeds ?? [],
    gaps,
  };
}

interface JointHours {
  readonly hour: readonly number[];
  /** Index of each hour in the inputs. */
  readonly position: readonly number[];
  readonly flow: Float64Array;
  readonly z: Float64Array;
  readonly sigma_now: number;
}

/** Scales returns over all of their hours, whether or not the flow of the hour is known too. */
function jointHours({ hours }: ExitInputs, returns: ReturnInputs | null): JointHours {
  const { sigma_now, z } = volatilityOf(returns?.hours.return ?? []);
  const positionOf = new Map(returns?.hours.hour.map((hour, index) => [hour, index]));
  const position = [...hours.hour.keys()].filter(
    (each) => returns === null || positionOf.has(hours.hour[each] ?? Number.NaN),
  );
  const hour = position.map((each) => hours.hour[each] ?? 0);
  return {
    hour,
    position,
    flow: Float64Array.from(position, (each) => hours.flow[each] ?? 0),
    z: Float64Array.from(hour, (each) => z[positionOf.get(each) ?? -1] ?? 0),
    sigma_now,
  };
}

/** Buckets by the share that could not be withdrawn, as in the simulation. */
function historyOf({ hours }: ExitInputs, { hour, position }: JointHours): ExitMarket['history'] {
  const bucket = Uint8Array.from(position, (each) => {
    const supplied = hours.supplied_usd[each] ?? 0;
    return bucketOf(supplied > 0 ? 1 - (hours.withdrawable_usd[each] ?? 0) / supplied : 1);
  });
  return { stretchEnd: stretchEnds(hour), bucket };
}

interface MarketState extends Pick<ExitMarket, 'supplied_usd' | 'withdrawable_usd'> {
  /** More is reported as withdrawable than is supplied and not borrowed. */
  readonly is_limited: boolean;
}

/** Null if the market's state is unknown, or nothing is supplied. */
function stateOf(exit: ExitInputs, utilization: number | null): MarketState | null {
  const { supplied_usd } = exit;
  if (supplied_usd === null || supplied_usd <= 0) return null;
  if (utilization !== null)
    return { supplied_usd, withdrawable_usd: supplied_usd * (1 - utilization), is_limited: false };
  const { usd, isLimited } = withdrawableFrom({ ...exit, supplied_usd });
  return usd === null ? null : { supplied_usd, withdrawable_usd: usd, is_limited: isLimited };
}

/** The longer block length of the flows and of the scaled returns. Rounded, so that the published number is the one used. */
function blockOf({ flow, z }: JointHours): BlockHours {
  const lengths = [flow, z].map((series) => blockHoursOf([...series]));
  const known = lengths.filter(({ is_assumed }) => !is_assumed).map(({ value }) => value);
  const value = known.length === 0 ? (lengths[0]?.value ?? 1) : Math.max(...known);
  return { value: roundTo(value, 2), is_assumed: known.length === 0 };
}

/** Gaps for the buckets in which paths began blocks. */
export function bucketGaps(
  { bucket_rows }: ExitBasis,
  entered: readonly number[],
): readonly AnalyticsGapEntry[] {
  const thin = entered.filter((bucket) => (bucket_rows[bucket] ?? 0) < MIN_BUCKET_ROWS);
  const isUnstressed = bucket_rows.at(-1) === 0;
  return [
    ...thin.map((bucket) => gapOf('bucket_thin', { subject: bucketName(bucket) })),
    ...(isUnstressed ? [gapOf('no_stress_in_history')] : []),
  ];
}

export const bucketBounds = (bucket: number): { readonly from: number; readonly to: number } => ({
  from: BUCKET_BOUNDS[bucket] ?? 0,
  to: BUCKET_BOUNDS[bucket + 1] ?? 1,
});

function bucketName(bucket: number): string {
  const { from, to } = bucketBounds(bucket);
  return `utilization:${from}-${to}`;
}
