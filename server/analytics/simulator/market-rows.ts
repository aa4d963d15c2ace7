// The hours of simulated markets as the liquidity detectors observe them: each market's registry entry, its latches, its known hours of the
// last two days and its simulated hours.

import type { MarketHour, Outcome } from '../../../models/simulator/simulate.ts';
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { ExitInputs } from '../../../schemas/analytics.ts';
import { type Begin, CONFIRMING_HOURS, isOther, type Rows } from './observation.ts';
import type { LendingMarket, PublishedDocuments } from './published-documents.ts';

type Hours = readonly (readonly [string, readonly MarketHour[]])[];

/** Markets that the shocks change, each with its hours up to the last change plus those that confirm it. */
export const movedMarkets = ({ markets }: Outcome, published: PublishedDocuments): Hours =>
  [...markets].flatMap(([id, hours]) => {
    const count = hoursToAsk(hours, published.market(id));
    return count === 0 ? [] : [[id, hours.slice(0, count)] as const];
  });

function hoursToAsk(hours: readonly MarketHour[], market: LendingMarket | undefined): number {
  const last = hours.findLastIndex((now, hour) => {
    const before = hour === 0 ? market : hours[hour - 1];
    return (
      isOther(now.utilization, before?.utilization) || isOther(now.withdrawable_usd, before?.withdrawable_usd)
    );
  });
  return last === -1 ? 0 : Math.min(hours.length, last + 1 + CONFIRMING_HOURS);
}

export function marketRows(markets: Hours, published: PublishedDocuments, begin: Begin) {
  const registry: Rows = [];
  const states: Rows = [];
  const steps: Rows = [];
  for (const [id, hours] of markets) {
    const market = published.market(id);
    if (market === undefined) continue;
    registry.push(registryRow(market));
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
  return { registry, steps, states };
}

/** The registry entry, as if the market had always been registered. */
export const registryRow = ({ chain, market_id, protocol }: LendingMarket): Rows[number] => ({
  chain,
  market_id,
  protocol,
  observed_at: 0,
});

const stateRow = (
  { chain, market_id }: LendingMarket,
  observed_at: number,
  state: {
    readonly utilization: number;
    readonly supplied_usd: number | null;
    readonly withdrawable_usd: number;
  },
): Rows[number] => ({
  chain,
  market_id,
  observed_at,
  day: observed_at - (observed_at % DAY_S),
  ...state,
  // The simulation does not model sellable depth per market, so the withdrawable amount is the limit.
  depth_usd: state.withdrawable_usd,
});

/** The known hours of the last two days, from which medians and confirmations continue. */
function knownStates(market: LendingMarket, inputs: ExitInputs | undefined, first: number): Rows {
  if (inputs === undefined) return [];
  const { hour, utilization, supplied_usd, withdrawable_usd } = inputs.hours;
  return hour.flatMap((at, index) => {
    if (at >= first || at < first - 2 * DAY_S) return [];
    const known = {
      utilization: utilization[index] ?? 0,
      supplied_usd: supplied_usd[index] ?? null,
      withdrawable_usd: withdrawable_usd[index] ?? 0,
    };
    return [stateRow(market, at, known)];
  });
}

/** A market that is already in trouble does not fire again before it has recovered. */
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
