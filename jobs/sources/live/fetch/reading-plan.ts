// How often the sources of a profile are read, by host, as scheduled: without counting pages, calls and retries.
import { DAY_S } from '../../../../platform/base/time.ts';
import { hostsOf } from './hosts-of.ts';
import type { LiveSource } from './live-source.ts';

export interface HostReadings {
  readonly host: string;
  /** Source ids, in order. */
  readonly sources: readonly string[];
  readonly readings_a_day: number;
}

/** Covers sources that are on and need no key. A chain is read from its first node; the other nodes are used only when that fails. */
export function readingsByHost(sources: readonly LiveSource[]): readonly HostReadings[] {
  const found = new Map<string, { sources: Set<string>; readings: number }>();
  for (const source of sources.filter(({ request, is_on, needs }) => request && is_on && needs.length === 0))
    for (const partition of source.partitions) {
      const [host] = hostsOf({ request: source.request, partitions: [partition] });
      if (host === undefined) continue;
      const one = found.get(host) ?? { sources: new Set(), readings: 0 };
      one.sources.add(source.id);
      found.set(host, { sources: one.sources, readings: one.readings + DAY_S / source.every_s });
    }
  return [...found]
    .map(([host, one]) => ({ host, sources: [...one.sources], readings_a_day: Math.ceil(one.readings) }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}
