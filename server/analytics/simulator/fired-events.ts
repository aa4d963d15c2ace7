// Which events a simulation would set off: its hours as observations of the markets, judged by the detectors of the jobs.

import type { MarketHour, Outcome } from '../../../models/simulator/simulate.ts';
import type { ExitInputs } from '../../../schemas/analytics.ts';
import type { FiredEvent } from '../../../schemas/simulator.ts';
import type { WhatIfQuestion } from '../../../schemas/what-if.ts';
import type { LendingMarket, Published } from './published.ts';
import type { AskWhatIf } from './what-if-client.ts';

const HOUR_S = 3_600;
const DAY_S = 86_400;
type Rows = WhatIfQuestion['rows'][string];

export interface Simulated {
  readonly published: Published;
  readonly outcome: Outcome;
  /** Time of the data, ISO 8601 UTC; hour 0 is the full hour that follows it. */
  readonly as_of: string;
}

/** In the order of the log; null when the detectors could not be asked. */
export async function firedEvents(
  { published, outcome, as_of }: Simulated,
  ask: AskWhatIf | undefined,
): Promise<FiredEvent[] | null> {
  if (ask === undefined) return null;
  const moved = [...outcome.markets].flatMap(([id, hours]) => {
    const count = hoursToAsk(hours, published.market(id));
    return count === 0 ? [] : [[id, hours.slice(0, count)] as const];
  });
  if (moved.length === 0) return [];
  const first = Math.ceil(Date.parse(as_of) / 1_000 / HOUR_S) * HOUR_S;
  const hours = Math.max(...moved.map(([, asked]) => asked.length)) - 1;
  const start = first - (first % DAY_S);
  const reply = await ask({
    start,
    from: first - 1,
    to: first + hours * HOUR_S,
    rows: rowsOf(moved, published, { first, start }),
  });
  if (reply === null || 'error' in reply) return null;
  return reply.events.map(({ type, severity, subject_id, ts, data }) => ({
    type,
    hour: Math.round((Date.parse(ts) / 1_000 - first) / HOUR_S),
    severity,
    subject_id,
    data: { ...data },
  }));
}

/** Hours that stay the same confirm what came before; no detector waits longer for that. */
const CONFIRMING_HOURS = 24;

/** Hours up to the last change and those that confirm it; 0 for a market that the shocks do not change. */
function hoursToAsk(hours: readonly MarketHour[], market: LendingMarket | undefined): number {
  const last = hours.findLastIndex((now, hour) => {
    const before = hour === 0 ? market : hours[hour - 1];
    return (
      isOther(now.utilization, before?.utilization) || isOther(now.withdrawable_usd, before?.withdrawable_usd)
    );
  });
  return last === -1 ? 0 : Math.min(hours.length, last + 1 + CONFIRMING_HOURS);
}

/** Published figures are rounded. */
const isOther = (now: number, before: number | null | undefined): boolean =>
  before == null || Math.abs(now - before) > 1e-6 * Math.max(1, Math.abs(before));

interface Begin {
  readonly first: number;
  readonly start: number;
}

function rowsOf(
  markets: readonly (readonly [
    string,
    Outcome['markets'] extends ReadonlyMap<string, infer H> ? H : never,
  ])[],
  published: Published,
  begin: Begin,
): WhatIfQuestion['rows'] {
  const registry: Rows = [];
  const states: Rows = [];
  const steps: Rows = [];
  for (const [id, hours] of markets) {
    const market = published.market(id);
    if (market === undefined) continue;
    const { chain, market_id, protocol } = market;
    registry.push({ chain, market_id, protocol, observed_at: 0 });
    steps.push(...latchesOf(market, begin));
    states.push(...knownStates(market, published.exitInputs(id), begin.first));
    states.push(
      ...hours.map(({ utilization, withdrawable_usd }, hour) =>
        stateRow(market, begin.first + hour * HOUR_S, {
          utilization,
          supplied_usd: market.supplied_usd,
          withdrawable_usd,
        }),
      ),
    );
  }
  return { 'obs.lending_market': registry, 'derived.market_step': steps, 'obs.market_state': states };
}

interface State {
  readonly utilization: number;
  readonly supplied_usd: number | null;
  readonly withdrawable_usd: number;
}

const stateRow = ({ chain, market_id }: LendingMarket, observed_at: number, state: State): Rows[number] => ({
  chain,
  market_id,
  observed_at,
  day: observed_at - (observed_at % DAY_S),
  ...state,
  // What can be sold is not simulated by market: what can be withdrawn is the limit.
  depth_usd: state.withdrawable_usd,
});

/** The known hours of the last two days: medians and confirmations continue from them. */
function knownStates(market: LendingMarket, inputs: ExitInputs | undefined, first: number): Rows {
  if (inputs === undefined) return [];
  const { hour, utilization, supplied_usd, withdrawable_usd } = inputs.hours;
  return hour.flatMap((at, place) => {
    if (at >= first || at < first - 2 * DAY_S) return [];
    const known = {
      utilization: utilization[place] ?? 0,
      supplied_usd: supplied_usd[place] ?? null,
      withdrawable_usd: withdrawable_usd[place] ?? 0,
    };
    return [stateRow(market, at, known)];
  });
}

/** A market that is in trouble already does not fire again before it has recovered. */
const latchesOf = (market: LendingMarket, { start }: Begin): Rows =>
  (
    [
      ['utilization', market.is_utilization_high],
      ['depth', market.is_depth_collapsed],
    ] as const
  ).map(([measure, is_active]) => ({
    chain: market.chain,
    market_id: market.market_id,
    measure,
    observed_at: start - DAY_S,
    day: start - DAY_S,
    zone: 'between',
    run_length: 1,
    last_at: start - DAY_S,
    is_active: is_active ?? false,
    since_at: start - DAY_S,
    is_observation: true,
  }));
