// Scripts the faults of feeds and of their delivery: silence, invalid answers, changed classifications, and rows that arrive shuffled,
// late or corrupt.
import { blockAt, blocksIn, timeOf } from './scenario/block.ts';
import type { Feed } from './scenario/feeds.ts';
import {
  type ExpectedEvent,
  type ExtraRound,
  type Incident,
  type IncidentKind,
  type Plot,
  subject,
} from './oracles-incident.ts';
import { GridWalk, RoundBuffer } from './scenario/rounds.ts';
import { oraclePolicy } from '../../families/oracles/policy.ts';

type Severity = 'warn' | 'high' | 'critical';

/** Seconds past its threshold at which a stale feed answers again, well inside each severity. */
const BACK_AFTER_S: { readonly [severity in Severity]: number } = { warn: 240, high: 1_800, critical: 5_400 };
const LATE_S = 600;
/** 2100-01-01 */
const FAR_FUTURE_BLOCK = blockAt(4_102_444_800);
/** More than two rounds of the slowest feed that faults are scripted for. */
const LOOK_BACK_BLOCKS = 15_000;
const LOOK_BACK_ROUNDS = 2_000;

function ordinaryRounds(feed: Feed, after: number, upTo: number): Int32Array {
  const buffer = new RoundBuffer(LOOK_BACK_ROUNDS);
  new GridWalk(feed, { after, upTo }).fill(buffer);
  return buffer.block.subarray(0, buffer.count);
}

function lastRoundBefore(feed: Feed, block: number): number {
  const last = ordinaryRounds(feed, block - LOOK_BACK_BLOCKS, block).at(-1);
  if (last === undefined) throw new Error(`Demo world: ${feed.pair} has no round before block ${block}.`);
  return last;
}

/** A block near the given one in which the feed has no ordinary round. */
function freeBlock(feed: Feed, block: number): number {
  const taken = new Set(ordinaryRounds(feed, block - 1, block + 2));
  return taken.has(block) ? block + 1 : block;
}

function event(type: string, severity: Severity, at: number): ExpectedEvent {
  return { type, severity, at, confirmed_at: at };
}

const changed = (at: number) => event('oracle.classification.changed', 'warn', at);

/** The last fresh second is one heartbeat plus the grace period after the last round. Staleness also changes the classification. */
function staleEvents(feed: Feed, lastBlock: number, worst: Severity): ExpectedEvent[] {
  const { grace_s, stale_high_s, stale_critical_s } = oraclePolicy.defaults;
  const threshold = timeOf(lastBlock) + (feed.listing.heartbeat_s ?? 0) + grace_s;
  const events = [
    event('oracle.stale', 'warn', threshold + 1),
    event('oracle.stale', 'high', threshold + stale_high_s),
    event('oracle.stale', 'critical', threshold + stale_critical_s),
  ];
  const reached = events.slice(0, 1 + events.findIndex(({ severity }) => severity === worst));
  return [...reached, changed(threshold + 1)];
}

/** Silence from the last ordinary round up to `block` until an answer that comes once the staleness has reached `worst`. */
export function stale(feed: Feed, block: number, worst: Severity): Plot {
  const after = lastRoundBefore(feed, block);
  const expect = staleEvents(feed, after, worst);
  const from = (expect[0] as ExpectedEvent).at;
  const until = after + blocksIn(from + BACK_AFTER_S[worst] - timeOf(after));
  return {
    incident: {
      kind: 'stale',
      feed: subject(feed),
      from,
      to: timeOf(until),
      expect: [...expect, changed(timeOf(until))],
    },
    silence: { after, until: until + 1 },
    extras: [{ block: until, available: until, factor: 1 }],
  };
}

/** Silence without end from the last ordinary round up to `block`. */
export function silent(feed: Feed, block: number): Plot {
  const after = lastRoundBefore(feed, block);
  const expect = staleEvents(feed, after, 'critical');
  const from = (expect[0] as ExpectedEvent).at;
  return {
    incident: { kind: 'silent', feed: subject(feed), from, to: null, expect },
    silence: { after, until: Number.POSITIVE_INFINITY },
  };
}

function extraRound(kind: IncidentKind, feed: Feed, round: ExtraRound, type?: string): Plot {
  const at = timeOf(round.available);
  const expect = type === undefined ? [] : [event(type, 'high', at)];
  return { incident: { kind, feed: subject(feed), from: at, to: at, expect }, extras: [round] };
}

/** One answer of zero (factor 0) or below zero (factor -1) between ordinary answers. */
export function invalid(feed: Feed, block: number, factor: 0 | -1): Plot {
  const free = freeBlock(feed, block);
  return extraRound('invalid', feed, { block: free, available: free, factor }, 'oracle.feed.invalid');
}

/** One row that the row checks must catch: an answer that is not a number, or a time far in the future. */
export function poison(feed: Feed, block: number, flaw: 'text' | 'future'): Plot {
  const available = freeBlock(feed, block);
  const round = { block: flaw === 'future' ? FAR_FUTURE_BLOCK + available : available, available, factor: 1 };
  return extraRound('poison', feed, flaw === 'text' ? { ...round, isText: true } : round);
}

/** The registry changes the feed's risk level. */
export function reclassified(feed: Feed, block: number, risk_level: string): Plot {
  const at = timeOf(block);
  return {
    incident: { kind: 'classification', feed: subject(feed), from: at, to: at, expect: [changed(at)] },
    risk_level,
  };
}

function delivery(kind: 'late' | 'shuffled', feed: Feed | null, after: number, upTo: number): Incident {
  return { kind, feed: feed && subject(feed), from: timeOf(after), to: timeOf(upTo), expect: [] };
}

/** The feed's rounds of some hours become readable together, ten minutes after the last of them. */
export function late(feed: Feed, block: number, hours: number): Plot {
  const upTo = block + blocksIn(hours * 3_600);
  const delay = { after: block, upTo, available: upTo + blocksIn(LATE_S) };
  return { incident: delivery('late', feed, block, upTo), delay };
}

/** The rounds of some hours arrive shuffled, across all feeds. */
export function shuffled(block: number, hours: number): Plot {
  const shuffle = { after: block, upTo: block + blocksIn(hours * 3_600) };
  return { incident: delivery('shuffled', null, shuffle.after, shuffle.upTo), shuffle };
}
