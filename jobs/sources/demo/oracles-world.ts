// The demo world: its feeds, its first day and its incidents. Everything is a function of the settings, so any interval can be
// requested, in any order and division, and yields the same rounds.

import type { Interval } from '../../define/source.ts';
import { blockAt, blockBefore, timeOf } from './scenario/block.ts';
import { buildFeeds, type Feed } from './scenario/feeds.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import type { Incident, Plot } from './oracles-incident.ts';
import { GridWalk, type Round, RoundBuffer, roundsIn, type Span } from './scenario/rounds.ts';
import { type Calendar, plotsUntil } from './oracles-schedule.ts';
import { type Script, ScriptedWalk, scriptsOf } from './oracles-script.ts';

const SECONDS_AHEAD = 30 * 86_400;
const ROUNDS_PER_BATCH = 500_000;
const SMALLEST_BATCH = 4_096;
/** Minimum distance between two rounds of one feed, in blocks. */
const MIN_ROUND_DISTANCE_BLOCKS = 10;

export class DemoWorld {
  readonly feeds: readonly Feed[];
  /** 00:00 UTC of the first day, Unix seconds. Listings are known from then on; no round is earlier. */
  readonly start: number;
  readonly #calendar: Calendar;
  readonly #hasIncidents: boolean;
  readonly #blockBefore: number;
  #horizon = 0;
  #plots: readonly Plot[] = [];
  #scripts: ReadonlyMap<number, Script> = new Map();

  constructor(settings: DemoSettings) {
    const { seed, days, startedAt } = settings;
    this.feeds = buildFeeds(seed, settings.feeds);
    this.start = firstDay(startedAt, days);
    this.#blockBefore = blockBefore(this.start);
    this.#hasIncidents = settings.incidents;
    const liveFrom = [...(settings.liveFrom ?? [startedAt])].sort((a, b) => a - b);
    this.#calendar = { feeds: this.feeds, startBlock: this.#blockBefore + 1, days, liveFrom };
  }

  /** All plots that begin up to an instant; the list may contain later ones. */
  plots(until: number): readonly Plot[] {
    if (this.#hasIncidents && until >= this.#horizon) {
      this.#horizon = until + SECONDS_AHEAD;
      this.#plots = plotsUntil(this.#calendar, this.#horizon);
      this.#scripts = scriptsOf(this.#plots);
    }
    return this.#plots;
  }

  /** The periods whose rounds are delivered out of order, oldest first. */
  shuffles(until: number): readonly Span[] {
    return this.plots(until).flatMap(({ shuffle }) => shuffle ?? []);
  }

  /**
   * The rounds that become readable in an interval, in batches, by feed and then by time. The buffer is reused: copy what you need
   * before requesting the next batch.
   */
  *rounds(interval: Interval): Generator<RoundBuffer> {
    this.plots(interval.to);
    const span = { after: Math.max(blockAt(interval.from), this.#blockBefore), upTo: blockAt(interval.to) };
    if (span.upTo <= span.after) return;
    const buffer = new RoundBuffer(this.#batchSize(span));
    for (const feed of this.feeds) {
      const walk = this.#walkOf(feed, span);
      while (!walk.fill(buffer)) {
        yield buffer;
        buffer.count = 0;
      }
    }
    if (buffer.count > 0) yield buffer;
  }

  /** The rounds of one feed that become readable in a span, by block; it may begin before the world does. */
  roundsOf(feed: Feed, span: Span): readonly Round[] {
    this.plots(timeOf(span.upTo));
    return [...roundsIn(this.#walkOf(feed, span))];
  }

  #walkOf(feed: Feed, span: Span): GridWalk | ScriptedWalk {
    const script = this.#scripts.get(feed.index);
    return script === undefined ? new GridWalk(feed, span) : new ScriptedWalk(feed, script, span);
  }

  #batchSize({ after, upTo }: Span): number {
    const maxRounds = this.feeds.length * (2 + (upTo - after) / MIN_ROUND_DISTANCE_BLOCKS);
    return Math.min(ROUNDS_PER_BATCH, Math.max(SMALLEST_BATCH, Math.ceil(maxRounds)));
  }
}

/** The scripted incidents that begin before `until` (Unix seconds, default: the first start), oldest first. */
export function incidents(settings: DemoSettings, until: number = settings.startedAt): readonly Incident[] {
  return new DemoWorld(settings)
    .plots(until)
    .map((plot) => plot.incident)
    .filter((incident) => incident.from < until)
    .sort((a, b) => a.from - b.from);
}
