// Requests per host in a simulated period, compared with the host's known limit per minute and our own daily budget.
import { hostSettings } from '../../../jobs/sources/live/fetch/configured.ts';
import { DEFAULT_HOST } from '../../../jobs/sources/live/http/client.ts';
import { hostRows } from '../../docs/host-table.ts';
import type { Said } from './journal.ts';
import { DAY_S } from './truth-finance.ts';

const MINUTE_S = 60;
const MINUTES_A_DAY = DAY_S / MINUTE_S;

export interface HostRequests {
  readonly host: string;
  /** Requests on its busiest day, and in its busiest minute. */
  readonly in_day: number;
  readonly in_minute: number;
  /** Null where nothing is known. */
  readonly per_minute_limit: number | null;
  readonly per_day_limit: number;
}

/** The largest number of requests in any interval of that length. */
function peak(said: readonly Said[], lengthS: number): number {
  const counts = Map.groupBy(said, ({ at }) => Math.floor(at / lengthS));
  return Math.max(0, ...[...counts.values()].map((stretch) => stretch.length));
}

/** By host name, sorted. */
export function requestsByHost(said: readonly Said[]): readonly HostRequests[] {
  const known = new Map(hostRows().map(({ host, known_per_minute }) => [host, known_per_minute]));
  const budgets = hostSettings({});
  return [...Map.groupBy(said, ({ host }) => host)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([host, own]) => ({
      host,
      in_day: peak(own, DAY_S),
      in_minute: peak(own, MINUTE_S),
      per_minute_limit: known.get(host) ?? null,
      per_day_limit: (budgets[host] ?? DEFAULT_HOST).requests_per_minute * MINUTES_A_DAY,
    }));
}
