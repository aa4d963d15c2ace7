// What happens in the simulated world, the same in every run: which feeds deliver which rows, and which events each tick finds.
import type { EventCandidate } from '../../../snapshots/events.ts';
import type { Json } from '../../../platform/base/json.ts';
import { seededRandom } from '../../support/seeded-random.ts';

export const T0 = Date.UTC(2026, 0, 1);
const TICK_MS = 300_000;
export const TYPE = 'oracle.stale';
export const FEEDS = ['a', 'b'] as const;
export const WORLDS = 16;

export const asOfMs = (tick: number): number => T0 + tick * TICK_MS;
export const tickAt = (asOf: string): number => Math.round((Date.parse(asOf) - T0) / TICK_MS);
export const isoAt = (ms: number): string => new Date(ms).toISOString();

export interface Row {
  readonly feed: string;
  readonly tick: number;
  readonly price: string;
}

export const nameOf = ({ feed, tick }: Pick<Row, 'feed' | 'tick'>): string =>
  `${feed}-${String(tick).padStart(4, '0')}`;

export class Script {
  readonly ticks: number;
  readonly #events: readonly (readonly EventCandidate[])[];
  readonly #world: number;

  constructor(seed: number, ticks: number) {
    this.#world = seed % WORLDS;
    this.ticks = ticks;
    const random = seededRandom(this.#world);
    this.#events = Array.from({ length: ticks + 1 }, (_, tick) =>
      Array.from({ length: Math.floor(random() * 4) }, (_none, n) => candidate(tick, n)),
    );
  }

  /** Detectors look back, so the events of the tick before are found again. */
  eventsOf(tick: number): readonly EventCandidate[] {
    return [...(this.#events[tick - 1] ?? []), ...(this.#events[tick] ?? [])];
  }

  rowOf(feed: string, tick: number): Row {
    return { feed, tick, price: `${(this.#world * 31 + tick * 7 + feed.charCodeAt(0)) % 100}.00` };
  }

  rowsUntil(tick: number): readonly Row[] {
    return FEEDS.flatMap((feed) => Array.from({ length: tick }, (_, n) => this.rowOf(feed, n + 1)));
  }
}

function candidate(tick: number, n: number): EventCandidate {
  const data: Json = { tick, n };
  const envelope = {
    type: TYPE,
    subject_id: `oracle_feed:${n}`,
    severity: 'warn',
    ts: isoAt(asOfMs(tick)),
    data,
  };
  return { key: `${tick}/${n}`, envelope };
}
