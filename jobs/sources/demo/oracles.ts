// The demo world as two sources, a feed registry and its rounds, in the form in which any oracle's rows are delivered. All data is
// marked as simulated.
import type { Source, SourceFacts } from '../../define/source.ts';
import type { RoundBuffer, Span } from './scenario/rounds.ts';
import { hash } from './scenario/hash.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type RegistryEntry, registryDelivery, roundDelivery } from './oracles-deliveries.ts';
import { DemoWorld } from './oracles-world.ts';

const FACTS = { kind: 'simulated', url: null, chain: null, license: null } as const;

const REGISTRY: SourceFacts = {
  ...FACTS,
  id: 'demo-registry',
  name: 'Demo world (simulated): feed registry',
};
const ROUNDS: SourceFacts = { ...FACTS, id: 'demo-rounds', name: 'Demo world (simulated): feed rounds' };

/** A registry and a stream of rounds. The first interval must begin before the demo world does (`from: 0` is fine). */
export function demoSources(settings: DemoSettings): readonly Source[] {
  const world = new DemoWorld(settings);
  return [
    {
      facts: REGISTRY,
      table: 'feed_registry',
      async *deliveries(interval) {
        const isNew = (row: RegistryEntry) =>
          row.observed_at > interval.from && row.observed_at <= interval.to;
        const rows = registryEntries(world, interval.to).filter(isNew);
        if (rows.length > 0) yield registryDelivery(rows);
      },
    },
    {
      facts: ROUNDS,
      table: 'feed_round',
      async *deliveries(interval) {
        for (const buffer of world.rounds(interval)) {
          shuffleWithin(buffer, world.shuffles(interval.to));
          yield roundDelivery(world.feeds, buffer);
        }
      },
    },
  ];
}

function registryEntries(world: DemoWorld, until: number): RegistryEntry[] {
  const listed = world.feeds.map((feed) => ({
    feed,
    risk_level: feed.listing.risk_level,
    observed_at: world.start,
  }));
  const changed = world.plots(until).flatMap(({ incident, risk_level }) => {
    const feed = incident.feed === null ? undefined : world.feeds[incident.feed.index];
    return feed === undefined || risk_level === undefined
      ? []
      : [{ feed, risk_level, observed_at: incident.from }];
  });
  return [...listed, ...changed];
}

// Delivers the rounds of some periods out of order, like a source that reads many pages in parallel.

/** Puts the rows of each period (oldest first, not overlapping) into a hashed order, within the positions they occupy. */
function shuffleWithin(buffer: RoundBuffer, spans: readonly Span[]): void {
  for (const [index, rows] of rowsWithin(buffer, spans).entries()) {
    const seed = spans[index]?.after ?? 0;
    for (let i = rows.length - 1; i > 0; i--) {
      buffer.swap(rows[i] as number, rows[hash(seed, i) % (i + 1)] as number);
    }
  }
}

/** One pass: time only increases within a feed, so a row is in the same period as the previous row or in the next. */
function rowsWithin(buffer: RoundBuffer, spans: readonly Span[]): number[][] {
  const rows: number[][] = spans.map(() => []);
  let at = 0;
  let previous = 0;
  for (let i = 0; i < buffer.count; i++) {
    const block = buffer.block[i] as number;
    if (block < previous) at = 0;
    previous = block;
    while (at < spans.length && block > (spans[at] as Span).upTo) at++;
    if (at < spans.length && block > (spans[at] as Span).after) rows[at]?.push(i);
  }
  return rows;
}
