// Trading hours of the markets of the demo world. Each session contains the hours in which the real market is open under either
// daylight-saving rule and begins early enough for a first round before the hours that are open under both. Holidays are ignored.
import { BLOCKS_PER_MINUTE, timeOf } from './block.ts';

const DAY = 24 * 60;
const WEEK = 7 * DAY;
/** 1970-01-05, the first Monday, in Unix seconds. */
const MONDAY = 345_600;

type Session = readonly [fromMinute: number, toMinute: number];

const weekdays = (from: number, to: number): Session[] =>
  [0, 1, 2, 3, 4].map((day) => [day * DAY + from, day * DAY + to]);

/** Minutes since Monday 00:00 UTC. */
const SESSIONS: { readonly [market: string]: readonly Session[] } = {
  nyse: weekdays(13 * 60 + 30, 21 * 60),
  lse: weekdays(7 * 60, 16 * 60 + 30),
  'us_equities_24/5': [[0, 5 * DAY + 60]],
  forex: [
    [0, 4 * DAY + 22 * 60],
    [6 * DAY + 21 * 60, WEEK],
  ],
  precious_metals: [
    [0, 4 * DAY + 22 * 60],
    [6 * DAY + 22 * 60, WEEK],
  ],
};

/** A market's week: for each minute whether it trades, and the number of trading minutes before it in the week. */
export interface Market {
  readonly isOpen: Uint8Array;
  readonly tradedBefore: Int32Array;
  readonly tradedPerWeek: number;
}

function buildMarket(sessions: readonly Session[]): Market {
  const isOpen = new Uint8Array(WEEK);
  for (const [from, to] of sessions) isOpen.fill(1, from, to);
  const tradedBefore = new Int32Array(WEEK);
  let traded = 0;
  for (let minute = 0; minute < WEEK; minute++) {
    tradedBefore[minute] = traded;
    traded += isOpen[minute] as number;
  }
  return { isOpen, tradedBefore, tradedPerWeek: traded };
}

const MARKETS = new Map(Object.entries(SESSIONS).map(([name, sessions]) => [name, buildMarket(sessions)]));

/** Null for a feed that never pauses. */
export function marketNamed(name: string | null): Market | null {
  return name === null ? null : (MARKETS.get(name) ?? null);
}

export function isOpenAt(market: Market, block: number): boolean {
  const minute = Math.floor((timeOf(block) - MONDAY) / 60);
  return market.isOpen[((minute % WEEK) + WEEK) % WEEK] === 1;
}

/** Elapsed trading time in blocks: it stops while the market is closed, so that prices do too. */
export function tradedBlocks(market: Market, block: number): number {
  const seconds = timeOf(block) - MONDAY;
  const minutes = Math.floor(seconds / 60);
  const week = Math.floor(minutes / WEEK);
  const minute = minutes - week * WEEK;
  const before = week * market.tradedPerWeek + (market.tradedBefore[minute] as number);
  const inside = market.isOpen[minute] === 1 ? Math.floor((seconds - minutes * 60) / 12) : 0;
  return before * BLOCKS_PER_MINUTE + inside;
}
