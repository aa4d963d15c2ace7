// The feeds of a simulation as the detectors of pegs and silent feeds observe them: every feed updates hourly with its last price times the
// factor of the shocks, unless it is silent. `detector-state` publishes where the detectors stand.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { DetectorState } from '../../../schemas/detector-state.ts';
import type { FeedShocks } from './feed-shocks.ts';
import type { Begin, Rows } from './observation.ts';

/** A feed with its last update. */
export interface ObservedFeed {
  readonly chain: string;
  readonly feed_address: string;
  readonly provider: string;
  readonly base: string;
  readonly quote: string;
  readonly asset_id: string;
  readonly source_kind: string;
  /** What a pool holds of the asset; null for other feeds, and if it is not known. */
  readonly pool_units: number | null;
  readonly heartbeat_s: number | null;
  readonly deviation_bps: number | null;
  readonly market_hours: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly round_id: string;
  readonly answer: string;
  readonly decimals: number;
}

/** Enough for any minimum depth; beyond this, doubles lose the smallest unit. */
const MAX_UNITS = 1e9;
const POOL_DECIMALS = 6;

export function feedRows(
  {
    feeds,
    pegs,
    shocks,
    hours,
  }: {
    readonly feeds: readonly ObservedFeed[];
    readonly pegs: readonly DetectorState[];
    readonly shocks: FeedShocks;
    readonly hours: number;
  },
  begin: Begin,
) {
  return {
    registry: feeds.map(registryRow),
    pools: feeds.flatMap((feed) => poolRows(feed, hours, begin.first)),
    states: feeds.map((feed) => stateRow(feed, shocks.isSilent(feed, 0), begin)),
    rounds: feeds.flatMap((feed) => roundsOf(feed, { shocks, hours, first: begin.first })),
    steps: pegs.map((peg) => stepRow(peg, begin)),
    recoveries: pegs.filter(({ ended_at }) => ended_at !== null).map((peg) => recoveryRow(peg, begin)),
  };
}

/** No heartbeat is shorter than the hour between updates of a simulated feed. */
const registryRow = (feed: ObservedFeed): Rows[number] => ({
  chain: feed.chain,
  provider: feed.provider,
  feed_address: feed.feed_address,
  name: `${feed.base} / ${feed.quote}`,
  base: feed.base,
  quote: feed.quote,
  pair: `${feed.base}-${feed.quote}`,
  category: 'simulated',
  risk_level: 'unrated',
  heartbeat_s: feed.heartbeat_s === null ? null : Math.max(feed.heartbeat_s, HOUR_S),
  deviation_bps: feed.deviation_bps,
  decimals: feed.decimals,
  market_hours: feed.market_hours,
  is_deprecating: false,
  edge_case_flags: '',
  asset_id: feed.asset_id,
  source_kind: feed.source_kind,
  pool_address: feed.feed_address,
  reports_rounds: true,
  observed_at: 0,
  source_id: 'simulated',
});

/** Every hour, a pool still holds what it held; of its two symbols, models ask for that of the asset. */
function poolRows(
  { chain, feed_address, base, quote, pool_units }: ObservedFeed,
  hours: number,
  first: number,
): Rows {
  if (pool_units === null) return [];
  const reserve = BigInt(Math.floor(Math.min(pool_units, MAX_UNITS) * 10 ** POOL_DECIMALS));
  return Array.from({ length: hours + 1 }, (_, hour) => first + (hour - 1) * HOUR_S).map((observed_at) => ({
    chain,
    pool: feed_address,
    observed_at,
    day: observed_at - (observed_at % DAY_S),
    kind: 'product',
    symbols_list: `${base},${quote}`,
    decimals_list: `${POOL_DECIMALS},${POOL_DECIMALS}`,
    reserves_list: `${reserve},${reserve}`,
  }));
}

/** A feed that is silent from the first hour on updated for the last time just before that hour. */
const stateRow = (feed: ObservedFeed, isSilent: boolean, { first, start }: Begin): Rows[number] => ({
  chain: feed.chain,
  feed_address: feed.feed_address,
  day: start - DAY_S,
  rows_present: 1,
  invalid_rounds: 0,
  first_at: feed.first_at,
  last_at: isSilent ? Math.max(feed.last_at, first - 1) : feed.last_at,
  last_round_id: feed.round_id,
  last_answer: feed.answer,
  last_decimals: feed.decimals,
  last_price: Number(feed.answer) / 10 ** feed.decimals,
});

function roundsOf(
  feed: ObservedFeed,
  { shocks, hours, first }: { readonly shocks: FeedShocks; readonly hours: number; readonly first: number },
): Rows {
  const rounds: Rows = [];
  for (let hour = 0; hour < hours; hour++) {
    const at = first + hour * HOUR_S;
    if (!shocks.isSilent(feed, hour)) rounds.push(roundRow(feed, at, shocks.factor(feed, hour)));
    // The last value is reported up to the start of the silence.
    else if (hour > 0 && !shocks.isSilent(feed, hour - 1))
      rounds.push(roundRow(feed, at - 1, shocks.factor(feed, hour - 1)));
  }
  return rounds.filter((row) => row['answer'] !== null);
}

function roundRow(feed: ObservedFeed, observed_at: number, factor: number): Rows[number] {
  const answer = answerOf(feed.answer, factor);
  return {
    chain: feed.chain,
    feed_address: feed.feed_address,
    round_id: String(observed_at),
    answer,
    decimals: feed.decimals,
    price: Number(answer) / 10 ** feed.decimals,
    observed_at,
    day: observed_at - (observed_at % DAY_S),
    updated_at: observed_at,
    source_id: 'simulated',
  };
}

/** Digits of the price; a price of zero becomes the smallest possible one. Null if there is no price. */
function answerOf(last: string, factor: number): string | null {
  if (factor === 1) return last;
  const answer = Math.round(Number(last) * factor);
  return Number.isFinite(answer) ? BigInt(Math.max(1, answer)).toString() : null;
}

const subjectOf = ({ chain, symbol, quote, asset_id }: DetectorState, { start }: Begin) => ({
  chain,
  symbol,
  quote,
  asset_id: asset_id ?? '',
  observed_at: start - 1,
  place: 0,
  day: start - DAY_S,
});

const stepRow = (peg: DetectorState, begin: Begin): Rows[number] => ({
  ...subjectOf(peg, begin),
  zone: peg.zone,
  sources: peg.sources,
  live_set: peg.live_feeds.join(','),
  covers_to: peg.covers_to,
  run_started_at: peg.run_started_at,
  run_length: peg.run_length,
  worst_zone: peg.worst_zone,
  worst_run_started_at: peg.worst_run_started_at,
  worst_run_length: peg.worst_run_length,
  level: peg.level,
  is_depegged: peg.is_depegged,
  is_doubted: peg.is_doubted,
  is_open: peg.is_open,
  since_at: peg.since_at,
  is_observation: false,
});

const recoveryRow = (peg: DetectorState, begin: Begin): Rows[number] => ({
  ...subjectOf(peg, begin),
  ended_at: peg.ended_at,
  is_in_stay: peg.is_in_stay,
  stay_started_at: peg.stay_started_at,
  recovered_at: peg.recovered_at,
  is_recovery: false,
});
