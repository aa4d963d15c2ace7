// The rounds of a feed with incidents: the ordinary rounds except those omitted, plus the scripted ones, each at the first block at which
// it can be read.
import type { Feed } from './scenario/feeds.ts';
import type { Delay, ExtraRound, Plot, Silence } from './oracles-incident.ts';
import { GridWalk, type Round, type RoundBuffer, roundsIn, type Span } from './scenario/rounds.ts';

/** Stands for a corrupt answer, which is delivered as a text that is not a number. */
export const SPOILT = Number.NaN;

export interface Script {
  readonly silences: readonly Silence[];
  readonly extras: readonly ExtraRound[];
  readonly delays: readonly Delay[];
  readonly shift: { readonly from: number; readonly factor: number } | null;
}

/** Scripts by the index of their feed. */
export function scriptsOf(plots: readonly Plot[]): ReadonlyMap<number, Script> {
  const byFeed = new Map<number, Plot[]>();
  for (const plot of plots) {
    if (plot.incident.feed === null) continue;
    for (const index of [plot.incident.feed.index, ...(plot.others ?? [])])
      byFeed.set(index, [...(byFeed.get(index) ?? []), plot]);
  }
  const scripts = new Map<number, Script>();
  for (const [index, own] of byFeed) {
    scripts.set(index, {
      silences: own.flatMap((plot) => plot.silence ?? []),
      extras: own.flatMap((plot) => plot.extras ?? []),
      delays: own.flatMap((plot) => plot.delay ?? []),
      shift: own.find((plot) => plot.shift !== undefined)?.shift ?? null,
    });
  }
  return scripts;
}

/** Walks a scripted feed in the way that `GridWalk` walks an ordinary one. */
export class ScriptedWalk {
  readonly #index: number;
  readonly #rounds: readonly Round[];
  #next = 0;

  constructor(feed: Feed, script: Script, span: Span) {
    this.#index = feed.index;
    this.#rounds = roundsOf(feed, script, span);
  }

  fill(buffer: RoundBuffer): boolean {
    for (; this.#next < this.#rounds.length; this.#next++) {
      if (buffer.count === buffer.capacity) return false;
      const round = this.#rounds[this.#next] as Round;
      buffer.push(this.#index, round.block, round.head);
    }
    return true;
  }
}

function roundsOf(feed: Feed, script: Script, span: Span): Round[] {
  const isIn = (block: number) => block > span.after && block <= span.upTo;
  const rounds: Round[] = [];
  for (const { block, head } of roundsIn(new GridWalk(feed, widen(span, script.delays)))) {
    if (script.silences.some(({ after, until }) => block > after && block < until)) continue;
    if (!isIn(readableFrom(block, script.delays))) continue;
    rounds.push({ block, head: shifted(head, block, script) });
  }
  const extras = script.extras.filter((extra) => isIn(extra.available));
  if (extras.length === 0) return rounds;
  const prices = new GridWalk(feed, { after: 0, upTo: 0 });
  for (const { block, available, factor, isText } of extras) {
    const head = Math.round(prices.answerAt(available) * factor);
    rounds.push({ block, head: isText === true ? SPOILT : shifted(head, block, script) });
  }
  return rounds.sort((a, b) => a.block - b.block);
}

/** Begins early enough to include rounds that were held back until the interval. */
function widen(span: Span, delays: readonly Delay[]): Span {
  const held = delays.filter(({ after, available }) => after < span.after && available > span.after);
  return { after: Math.min(span.after, ...held.map(({ after }) => after)), upTo: span.upTo };
}

function readableFrom(block: number, delays: readonly Delay[]): number {
  const delay = delays.find(({ after, upTo }) => block > after && block <= upTo);
  return delay?.available ?? block;
}

function shifted(head: number, block: number, { shift }: Script): number {
  return shift !== null && block >= shift.from ? Math.round(head * shift.factor) : head;
}
