// The events that a simulation would fire: its hours become observations of markets and feeds, which the jobs' detectors judge.

import type { Shock } from '../../../models/simulator/inputs.ts';
import type { Outcome } from '../../../models/simulator/simulate.ts';
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { FiredEvent } from '../../../schemas/simulator.ts';
import type { WhatIfQuestion, WhatIfType } from '../../../schemas/what-if.ts';
import { feedRows, type ObservedFeed } from './feed-rows.ts';

import { FeedShocks } from './feed-shocks.ts';
import { marketRows, movedMarkets, registryRow } from './market-rows.ts';
import type { Begin, Rows } from './observation.ts';
import { feedsOf, type LendingMarket, type PublishedDocuments } from './published-documents.ts';
import type { AskWhatIf } from './what-if-client.ts';

export interface SimulatedHours {
  readonly published: PublishedDocuments;
  readonly outcome: Outcome;
  readonly input: { readonly shocks: readonly Shock[]; readonly horizon_hours: number };
  /** Time of the data, ISO 8601 UTC. Hour 0 is the next full hour. */
  readonly as_of: string;
}

export interface DetectorEvents {
  /** In log order; null if the detectors are not queried, or their answer would be too large. */
  readonly events: FiredEvent[] | null;
  /** Types that such shocks can fire but that were not evaluated; null stands for all of them. */
  readonly unavailable: readonly (WhatIfType | null)[];
}

/** `ask`: undefined if the server does not query the detectors. @throws Failure `unavailable` if they do not reply */
export async function firedEvents(
  simulated: SimulatedHours,
  ask: AskWhatIf | undefined,
): Promise<DetectorEvents> {
  const { question, first, unavailable } = questionOf(simulated);
  const none = { events: null, unavailable: [null, ...unavailable] };
  if (ask === undefined) return none;
  if (question === null) return { events: [], unavailable: unavailable };
  const found = await ask(question);
  if (found === null) return none;
  const events = found.map(({ type, severity, subject_id, ts, data }) => ({
    type,
    hour: Math.round((Date.parse(ts) / 1_000 - first) / HOUR_S),
    severity,
    subject_id,
    data: { ...data },
  }));
  return { events, unavailable: unavailable };
}

const LIQUIDITY = ['liquidity.utilization.spike', 'liquidity.depth.collapse'] as const;
const PEGS = ['peg.depeg.start', 'peg.depeg.end', 'peg.depeg.recovered'] as const;

interface DetectorQuestion {
  /** Null if the shocks move nothing that a detector watches. */
  readonly question: WhatIfQuestion | null;
  readonly first: number;
  /** Types whose detectors lack the state to continue from. */
  readonly unavailable: readonly WhatIfType[];
}

function questionOf(simulated: SimulatedHours): DetectorQuestion {
  const { published, outcome, as_of } = simulated;
  const first = Math.ceil(Date.parse(as_of) / 1_000 / HOUR_S) * HOUR_S;
  const begin: Begin = { first, start: first - (first % DAY_S) };
  const markets = movedMarkets(outcome, published);
  const touched = touchedFeeds(simulated);
  const { shocks, stopped, pegs, unavailable } = touched;
  const types: WhatIfType[] = [
    ...(markets.length > 0 ? LIQUIDITY : []),
    ...(stopped.length > 0 ? (['oracle.stale'] as const) : []),
    ...(pegs.length > 0 ? PEGS : []),
  ];
  if (types.length === 0) return { question: null, first, unavailable };
  const hours = Math.max(
    shocks.hoursToAsk(pegs.length > 0 ? shocks.moved : [], stopped.length > 0),
    ...markets.map(([, asked]) => asked.length),
  );
  const rows = rowsOf(marketRows(markets, published, begin), touched, { begin, hours });
  const to = first + (hours - 1) * HOUR_S;
  return { question: { start: begin.start, from: first - 1, to, types, rows }, first, unavailable };
}

interface TouchedFeeds {
  readonly shocks: FeedShocks;
  /** Feeds that fall silent. */
  readonly stopped: PublishedDocuments['feeds'];
  /** Pegs whose price moves. */
  readonly pegs: PublishedDocuments['detectorStates'];
  readonly unavailable: readonly WhatIfType[];
}

function touchedFeeds({ published, outcome, input }: SimulatedHours): TouchedFeeds {
  const shocks = new FeedShocks(outcome, input, (id) => feedsOf(published.market(id)));
  const { moved } = shocks;
  const isFreeze = hasFreeze(input);
  const stopped = isFreeze ? published.feeds.filter((feed) => shocks.isStopped(feed)) : [];
  const pegs = published.detectorStates.filter(({ feeds }) =>
    feeds.some(({ base, quote }) => moved.has(base) || moved.has(quote)),
  );
  for (const { key } of pegs) published.document('detector-state', key);
  for (const { provider } of stopped) published.document('oracle-pairs', provider);
  const unavailable: WhatIfType[] = [
    ...(moved.size > 0 && !published.has('detector-state') ? (['peg.depeg.start'] as const) : []),
    ...(isFreeze && !published.has('oracle-pairs') ? (['oracle.stale'] as const) : []),
  ];
  return { shocks, stopped, pegs, unavailable };
}

function rowsOf(
  { registry, steps, states }: ReturnType<typeof marketRows>,
  { shocks, stopped, pegs }: TouchedFeeds,
  { begin, hours }: { readonly begin: Begin; readonly hours: number },
): WhatIfQuestion['rows'] {
  const feeds = feedRows({ feeds: observed(stopped, pegs), pegs, shocks, hours }, begin);
  const backed = [...new Set(stopped.flatMap(({ markets }) => markets))];
  const registered = [...registry, ...backed.map(registryRow)].map((row) => [
    `${row['chain']}:${row['market_id']}`,
    row,
  ]);
  const rows: { readonly [table: string]: Rows } = {
    'obs.lending_market': Object.values(Object.fromEntries(registered)),
    'derived.market_step': steps,
    'obs.market_state': states,
    'obs.feed_registry': feeds.registry,
    'obs.amm_pool_state': feeds.pools,
    'derived.feed_state': feeds.states,
    'obs.feed_round': feeds.rounds,
    'obs.market_oracle': backed.flatMap(oracleRows),
    'derived.peg_step': feeds.steps,
    'derived.peg_recovery': feeds.recoveries,
  };
  return Object.fromEntries(Object.entries(rows).filter(([, given]) => given.length > 0));
}

const hasFreeze = ({ shocks }: SimulatedHours['input']): boolean =>
  shocks.some(({ kind, path }) => kind === 'oracle_freeze' && path.some(([, factor]) => factor === 0));

/** The sources of pegs with their last updates, and the other feeds that fall silent, of which only the times matter. */
function observed(
  stopped: PublishedDocuments['feeds'],
  pegs: PublishedDocuments['detectorStates'],
): readonly ObservedFeed[] {
  const others = stopped.map((feed): ObservedFeed => {
    const { chain, feed_address, provider, base, quote, heartbeat_s, deviation_bps, market_hours } = feed;
    return {
      ...{ chain, feed_address, provider, base, quote, heartbeat_s, deviation_bps, market_hours },
      ...{ asset_id: '', source_kind: 'oracle', pool_units: null, round_id: '0', answer: '1', decimals: 0 },
      ...{ first_at: feed.last_at, last_at: feed.last_at },
    };
  });
  const sources = pegs.flatMap(({ chain, feeds }) =>
    feeds
      // A stale feed is not a source, and it stays silent.
      .filter(({ status }) => status !== 'stale')
      .map((feed): ObservedFeed => ({ ...feed, chain, asset_id: feed.asset_id ?? '' })),
  );
  const all = [...others, ...sources].map((feed) => [`${feed.chain}:${feed.feed_address}`, feed] as const);
  return [...new Map(all).values()];
}

const oracleRows = ({ chain, market_id, feeds }: LendingMarket): Rows =>
  feeds.map((feed_address) => ({
    ...{ chain, market_id, feed_address, oracle_address: feed_address, backing_address: feed_address },
    observed_at: 0,
  }));
