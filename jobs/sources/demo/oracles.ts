// The demo world as two sources, a feed registry and its rounds, in the form in which any oracle's rows are delivered. All data is
// marked as simulated.

import type { Source, SourceFacts } from '../../define/source.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type RegistryEntry, registryDelivery, roundDelivery } from './oracles-deliveries.ts';
import { shuffleWithin } from './oracles-shuffle.ts';
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
