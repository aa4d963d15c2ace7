// The table of hosts of docs/live-sources.md: how many requests the schedule of the profile `live` sends to each, how many our budget
// admits, and how many the host is known to allow.
import { hostSettings, liveSources } from '../../jobs/sources/live/fetch/configured.ts';
import { hostsOf } from '../../jobs/sources/live/fetch/source-state.ts';
import type { LiveSource } from '../../jobs/sources/live/fetch/live-source.ts';
import { SHIPPED_SOURCES } from '../../jobs/sources/live/shipped/shipped.ts';
import { DEFAULT_HOST } from '../../jobs/sources/live/http/client.ts';
import { DAY_S } from '../../platform/base/time.ts';
import { markdownTable } from './markdown-table.ts';

const DISCOURSE = { requests_per_minute: 200, words: '200 a minute, the default of Discourse' };

/** Limits as published, or as others have observed them. */
const KNOWN_LIMITS: {
  readonly [host: string]: { readonly requests_per_minute: number; readonly words: string };
} = {
  'api.growthepie.com': { requests_per_minute: 10, words: '10 a minute' },
  'api.llama.fi': { requests_per_minute: 300, words: 'none published; about 300 a minute observed' },
  'stablecoins.llama.fi': { requests_per_minute: 300, words: 'as api.llama.fi' },
  'yields.llama.fi': { requests_per_minute: 300, words: 'as api.llama.fi' },
  'hub.snapshot.org': { requests_per_minute: 100, words: '100 a minute without a key' },
  'governance.aave.com': DISCOURSE,
  'forum.arbitrum.foundation': DISCOURSE,
  'www.comp.xyz': DISCOURSE,
  'research.lido.fi': DISCOURSE,
  'gov.uniswap.org': DISCOURSE,
};

export interface HostReadings {
  readonly host: string;
  /** Source ids, in order. */
  readonly sources: readonly string[];
  readonly readings_a_day: number;
}

/**
 * How often the sources are read, as scheduled: without counting pages, calls and retries. Covers sources that are on and need no key. A
 * chain is read from its first node; the other nodes are used only when that fails.
 */
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

export interface HostRow {
  readonly host: string;
  readonly sources: readonly string[];
  readonly readings_a_day: number;
  /** Limit in our budget. */
  readonly requests_per_minute: number;
  /** Limit of the host; null if unknown. */
  readonly known_per_minute: number | null;
  readonly words: string;
}

export function hostRows(): readonly HostRow[] {
  const budgets = hostSettings({});
  return readingsByHost(liveSources(SHIPPED_SOURCES)).map(({ host, sources, readings_a_day }) => {
    const known = KNOWN_LIMITS[host];
    return {
      host,
      sources,
      readings_a_day,
      requests_per_minute: (budgets[host] ?? DEFAULT_HOST).requests_per_minute,
      known_per_minute: known?.requests_per_minute ?? null,
      words: known?.words ?? 'none published',
    };
  });
}

const count = (value: number) => value.toLocaleString('en');

export const hostTable = (): string =>
  markdownTable(
    ['Host', 'Sources', 'Readings per day', 'Maximum requests per day', 'Limit of the host'],
    hostRows().map(({ host, sources, readings_a_day, requests_per_minute, words }) => [
      `\`${host}\``,
      sources.map((id) => `\`${id}\``).join(', '),
      count(readings_a_day),
      count(requests_per_minute * 1_440),
      words,
    ]),
  );
