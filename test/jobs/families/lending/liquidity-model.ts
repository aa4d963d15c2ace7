// When a market is in trouble, written a second time and observation by observation: utilisation beyond its limit, exit depth beyond its median.
import { type LendingPolicy, lendingPolicy } from '../../../../jobs/families/lending/policy.ts';

export interface Observed {
  readonly observed_at: number;
  readonly supplied_usd: number;
  readonly borrowed_usd: number;
}

export interface Edge {
  readonly measure: 'utilization' | 'depth';
  readonly edge: 'start' | 'end';
  readonly observed_at: number;
}

type Zone = 'beyond' | 'inside' | 'between';
interface Judged {
  readonly at: number;
  readonly zone: Zone;
  readonly isFar: boolean;
}

const DAY = 86_400;

/** The edges of both measures over states in order of time. */
export function edgesOf(
  states: readonly Observed[],
  policy: LendingPolicy = lendingPolicy.defaults,
): readonly Edge[] {
  const utilization = states
    .filter(({ supplied_usd }) => supplied_usd > 0)
    .map((state) => byUtilization(state, policy));
  const depth = states.map((_, index) => byDepth(states, index, policy));
  return [
    ...latch(utilization, policy).map((one) => ({ measure: 'utilization' as const, ...one })),
    ...latch(depth, policy).map((one) => ({ measure: 'depth' as const, ...one })),
  ];
}

function byUtilization(
  { observed_at, supplied_usd, borrowed_usd }: Observed,
  { utilization }: LendingPolicy,
): Judged {
  const used = borrowed_usd / supplied_usd;
  const zone =
    used >= utilization.spike_at ? 'beyond' : used < utilization.rearm_below ? 'inside' : 'between';
  return { at: observed_at, zone, isFar: false };
}

const left = ({ supplied_usd, borrowed_usd }: Observed) => Math.max(supplied_usd - borrowed_usd, 0);

function byDepth(states: readonly Observed[], at: number, { depth }: LendingPolicy): Judged {
  const state = states[at] as Observed;
  const before = states.filter(
    ({ observed_at }) => observed_at < state.observed_at && observed_at >= state.observed_at - DAY,
  );
  const sorted = before.map(left).sort((a, b) => a - b);
  const middle = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
  const isKnown = sorted.length >= depth.min_observations && middle >= depth.min_median_usd;
  const share = isKnown ? left(state) / middle : null;
  const isBelow = (fraction: number) => state.supplied_usd > 0 && left(state) < fraction * state.supplied_usd;
  const isFar = isBelow(depth.withdrawable_below);
  const isBeyond = isFar || (share !== null && share <= depth.collapse_at);
  const isCalm = !isBelow(depth.withdrawable_rearm_from) && (share === null || share > depth.rearm_above);
  return { at: state.observed_at, zone: isBeyond ? 'beyond' : isCalm ? 'inside' : 'between', isFar };
}

function latch(
  judged: readonly Judged[],
  { confirm_observations, state_max_age_s }: LendingPolicy,
): readonly Omit<Edge, 'measure'>[] {
  const edges: Omit<Edge, 'measure'>[] = [];
  let isActive = false;
  let run = 0;
  let last: Judged | null = null;
  for (const one of judged) {
    const goesOn: boolean = last !== null && last.zone === one.zone && one.at - last.at <= state_max_age_s;
    run = goesOn ? run + 1 : 1;
    last = one;
    const starts = one.zone === 'beyond' && (one.isFar || run >= confirm_observations);
    const ends = one.zone === 'inside' && run >= confirm_observations;
    if (!isActive && starts) edges.push({ edge: 'start', observed_at: one.at });
    if (isActive && ends) edges.push({ edge: 'end', observed_at: one.at });
    isActive = starts || (isActive && !ends);
  }
  return edges;
}
