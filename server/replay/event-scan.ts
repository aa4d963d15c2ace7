// Finds events by their indexed facts, from either end of the log, without reading events. Pauses after a bounded number of them, for
// other work.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import type { EventKind, SegmentIndex } from '../../snapshots/segment-index/segment-index.ts';
import type { EventIndex, IndexPart } from './event-index.ts';

/** Events compared per turn of the event loop: about a millisecond. */
const EVENTS_PER_TURN = 65_536;

export type FactName = 'severity' | 'chain' | 'protocol';

/** Undefined means no restriction. */
export interface EventFilter {
  readonly types?: ReadonlySet<string> | undefined;
  readonly subject?: string | undefined;
  /** Names in any case. */
  readonly names?: { readonly [fact in FactName]?: ReadonlySet<string> | undefined };
  /** Event time, Unix seconds, inclusive at both ends. */
  readonly from?: number;
  readonly to?: number;
}

export interface EventSearch extends EventFilter {
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** The ordinals to search: `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** At most one ordinal more than the limit, in search order. */
export async function findEvents(
  index: EventIndex,
  search: EventSearch,
  span: Span,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const step of scan(index, search, span, search.isNewestFirst)) {
    if (typeof step === 'number') found.push(step);
    else await new Promise((resolve) => setImmediate(resolve));
    if (found.length > search.limit) break;
  }
  return found;
}

/** At most `limit` ordinals, oldest first, found in one turn. `next`: the first ordinal that was not checked or does not fit. */
export function findInTurn(
  index: EventIndex,
  filter: EventFilter & { readonly limit: number },
  span: Span,
): { readonly ordinals: readonly number[]; readonly next: number } {
  const ordinals: number[] = [];
  for (const step of scan(index, filter, span, false)) {
    if (typeof step !== 'number') return { ordinals, next: step.next };
    if (ordinals.length === filter.limit) return { ordinals, next: step };
    ordinals.push(step);
  }
  return { ordinals, next: span.to };
}

/** After a turn's work; `next` is the ordinal that follows. */
interface Pause {
  readonly next: number;
}

/** The ordinals that pass, in search order. */
function* scan(
  index: EventIndex,
  filter: EventFilter,
  { from, to }: Span,
  isNewestFirst: boolean,
): Generator<number | Pause> {
  const { from: fromSecond = Number.NEGATIVE_INFINITY, to: toSecond = Number.POSITIVE_INFINITY } = filter;
  let left = EVENTS_PER_TURN;
  for (const { part, passes } of partsOf(index, filter, isNewestFirst)) {
    const { first, index: segment } = part;
    const events = eventsIn(segment, filter.subject);
    const start = events.positionOf(from - first);
    const end = events.positionOf(to - first);
    for (let step = 0; step < end - start; step++) {
      const event = events.at(isNewestFirst ? end - 1 - step : start + step);
      if (left-- === 0) {
        left = EVENTS_PER_TURN;
        yield { next: first + event };
      }
      if (passes[segment.kind(event)] !== 1) continue;
      const second = segment.second(event);
      if (second >= fromSecond && second <= toSecond) yield first + event;
    }
  }
}

interface PassingPart {
  readonly part: IndexPart;
  /** 1 for each kind of the segment that passes. */
  readonly passes: Uint8Array;
}

/** The parts in which a kind passes. */
function* partsOf(index: EventIndex, filter: EventFilter, isNewestFirst: boolean): Generator<PassingPart> {
  const isWanted = kindTest(filter);
  for (const part of isNewestFirst ? index.parts.toReversed() : index.parts) {
    const passes = Uint8Array.from(part.index.kinds, (kind) => (isWanted(kind) ? 1 : 0));
    if (passes.includes(1)) yield { part, passes };
  }
}

function kindTest({ types, names = {} }: EventFilter): (kind: EventKind) => boolean {
  const folded = ([names.severity, names.chain, names.protocol] as const).map(
    (given) => given && new Set([...given].map((name) => name.toLowerCase())),
  );
  return ([type, ...facts]) =>
    (types === undefined || types.has(type)) &&
    facts.every((fact, number) => folded[number]?.has(fact?.toLowerCase() ?? '') ?? true);
}

/** Ordinals of a segment, ascending. */
interface Events {
  /** Number of those before `ordinal`. */
  positionOf(ordinal: number): number;
  at(position: number): number;
}

function eventsIn(segment: SegmentIndex, subject: string | undefined): Events {
  if (subject === undefined)
    return {
      positionOf: (ordinal) => Math.min(segment.count, Math.max(0, ordinal)),
      at: (position) => position,
    };
  const list = segment.ofSubject(subject);
  return {
    positionOf: (ordinal) => lowerBound(list.length, (position) => (list[position] ?? 0) >= ordinal),
    at: (position) => list[position] ?? 0,
  };
}
