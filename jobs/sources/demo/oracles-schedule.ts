// When incidents happen: the same programme in every period of the demo world (its history's length, at most thirty days), three incidents
// that never end, and a short programme a few minutes after each start. A later start never changes earlier incidents.
import { BLOCKS_PER_DAY, blockAt, blocksIn } from './scenario/block.ts';
import type { Feed } from './scenario/feeds.ts';
import { depeg, openDepeg } from './oracles-depeg.ts';
import { invalid, late, poison, reclassified, shuffled, silent, stale } from './oracles-faults.ts';
import type { Plot } from './oracles-incident.ts';

const LONGEST_PERIOD_DAYS = 30;
/** How long a feed is left alone after a live incident began: enough for a depeg, its end and the six hours of its recovery. */
const LIVE_DEPEG_REST_S = 10 * 3_600;
const LIVE_FAULT_REST_S = 1_200;
/** Deep enough that loans against it are not covered, although an oracle takes it for a dollar. */
const BANDS_TO_BAD_DEBT = 10;
const LIVE_DEPEG_PAIRS = ['PYUSD-USD', 'TUSD-USD', 'GUSD-USD'] as const;

export interface Calendar {
  readonly feeds: readonly Feed[];
  /** Block of 00:00 UTC of the first day. */
  readonly startBlock: number;
  readonly days: number;
  /** Instants at which the service was started, Unix seconds, oldest first. */
  readonly liveFrom: readonly number[];
}

type Find = (pair: string) => Feed;

function finder(feeds: readonly Feed[]): Find {
  return (pair) => {
    const feed = feeds.find((one) => one.pair === pair);
    if (feed === undefined) throw new Error(`Demo world: no feed ${pair} to script an incident for.`);
    return feed;
  };
}

/** The programme of one period. `at` returns the block at a fraction of the period. */
function programme(feed: Find, at: (fraction: number) => number, isOdd: boolean): Plot[] {
  return [
    depeg(feed(isOdd ? 'USDT-USD' : 'USDC-USD'), at(0.2), -1),
    depeg(feed(isOdd ? 'FRAX-USD' : 'DAI-USD'), at(0.55), isOdd ? -1 : 1),
    depeg(feed(isOdd ? 'WBTC-BTC' : 'STETH-ETH'), at(0.4), -1),
    stale(feed('LINK-USD'), at(0.15), 'warn'),
    stale(feed('AAVE-USD'), at(0.35), 'high'),
    stale(feed('UNI-USD'), at(0.6), 'critical'),
    invalid(feed('COMP-USD'), at(0.25), 0),
    invalid(feed('COMP-USD'), at(0.7), -1),
    reclassified(feed('STETH-USD'), at(0.45), isOdd ? 'medium' : 'high'),
    shuffled(at(0.5), 2),
    late(feed('SOL-USD'), at(0.65), 8),
  ];
}

/** Only scripted where history is backfilled, never live, because a small batch with a corrupt row is held back. */
function spoilt(feed: Find, at: (fraction: number) => number): Plot[] {
  return [poison(feed('APE-USD'), at(0.3), 'text'), poison(feed('APE-USD'), at(0.8), 'future')];
}

function periodic(calendar: Calendar, untilBlock: number, feed: Find): Plot[] {
  const length = Math.min(LONGEST_PERIOD_DAYS, calendar.days) * BLOCKS_PER_DAY;
  const historyEnd = calendar.startBlock + calendar.days * BLOCKS_PER_DAY;
  const plots: Plot[] = [];
  for (let period = 0; calendar.startBlock + period * length < untilBlock; period++) {
    const from = calendar.startBlock + period * length;
    const at = (fraction: number) => from + Math.floor(fraction * length);
    plots.push(...programme(feed, at, period % 2 === 1));
    if (from + length <= historyEnd) plots.push(...spoilt(feed, at));
  }
  return plots;
}

/** The incidents within minutes of each start, on feeds that no earlier start still affects. */
function live(calendar: Calendar, feed: Find): Plot[] {
  const plots: Plot[] = [];
  const busyUntil = new Map<string, number>();
  for (const start of calendar.liveFrom) {
    const isFree = (pair: string) => (busyUntil.get(pair) ?? 0) <= start;
    const at = (seconds: number) => blockAt(start) + blocksIn(seconds);
    const peg = LIVE_DEPEG_PAIRS.find(isFree);
    if (peg !== undefined) {
      plots.push(depeg(feed(peg), at(120), -1));
      busyUntil.set(peg, start + LIVE_DEPEG_REST_S);
    }
    if (isFree('FDUSD-USD')) {
      plots.push(stale(feed('FDUSD-USD'), at(0), 'warn'), invalid(feed('COMP-USD'), at(240), 0));
      busyUntil.set('FDUSD-USD', start + LIVE_FAULT_REST_S);
    }
  }
  return plots;
}

/** All incidents that begin before an instant, including those that end after it. */
export function plotsUntil(calendar: Calendar, untilUnixSeconds: number): readonly Plot[] {
  const feed = finder(calendar.feeds);
  const atDay = (fraction: number) =>
    calendar.startBlock + Math.floor(fraction * calendar.days * BLOCKS_PER_DAY);
  const untilBlock = Math.max(
    blockAt(untilUnixSeconds),
    calendar.startBlock + calendar.days * BLOCKS_PER_DAY,
  );
  const plots = [
    ...periodic(calendar, untilBlock, feed),
    openDepeg(feed('MIM-USD'), atDay(0.8)),
    openDepeg(feed('USDE-USD'), atDay(0.97), BANDS_TO_BAD_DEBT),
    silent(feed('CRV-USD'), atDay(0.72)),
    ...live(calendar, feed),
  ];
  return plots.map((plot) => ofWholePair(plot, calendar.feeds));
}

/** Lets the price leave its peg at every feed of the pair at once. */
function ofWholePair(plot: Plot, feeds: readonly Feed[]): Plot {
  const { kind, feed } = plot.incident;
  if (feed === null || (kind !== 'depeg' && kind !== 'depeg_open')) return plot;
  const others = feeds.filter(({ pair, index }) => pair === feed.pair && index !== feed.index);
  return { ...plot, others: others.map(({ index }) => index) };
}
