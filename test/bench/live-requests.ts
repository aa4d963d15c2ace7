// How often each host is asked by the default profile `live`, from simulated days with and without troubles, against what the host allows:
// its limit where that is known, our own budget elsewhere. BENCH_DAYS sets the length (30).
import { DEFAULT_HOST } from '../../jobs/net/client.ts';
import { hostRows } from '../docs/host-table.ts';
import type { Said } from '../support/live-world/journal.ts';
import { scriptOf, START_S, truthOf } from '../support/live-world/month.ts';
import { DAY_S } from '../support/live-world/truth-finance.ts';
import { keylessSources, LiveWorld } from '../support/live-world/world.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';
import type { BenchReport } from './report.ts';

const DAYS = Number(process.env['BENCH_DAYS'] ?? 30);
const MINUTE_S = 60;

/** Of the host where it is known, of our budget otherwise. */
const LIMITS = new Map(
  hostRows().map((row) => [row.host, row.known_per_minute ?? row.requests_per_minute] as const),
);
const limitOf = (host: string): number => LIMITS.get(host) ?? DEFAULT_HOST.requests_per_minute;

/** The largest number of requests in one stretch of that length. */
function peak(said: readonly Said[], lengthS: number): number {
  const counts = new Map<number, number>();
  for (const { at } of said) {
    const stretch = Math.floor(at / lengthS);
    counts.set(stretch, (counts.get(stretch) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

export async function bench(): Promise<BenchReport> {
  const world = await LiveWorld.open({
    truth: truthOf(DAYS),
    script: scriptOf({ seed: 3, days: DAYS, until: START_S + DAYS * DAY_S }),
    startMs: START_S * 1000,
    dir: temporaryFolder('live-requests'),
    sources: keylessSources(),
  });
  world.start();
  await world.clock.runTo((START_S + DAYS * DAY_S) * 1000);
  await world.close();
  removeTemporaryFolders();
  const byHost = [...Map.groupBy(world.journal.said, ({ host }) => host)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return {
    name: 'live-requests',
    figures: {
      days: DAYS,
      ...Object.fromEntries(
        byHost.flatMap(([host, said]) => [
          [`${host}, requests on its busiest day`, peak(said, DAY_S)],
          [`${host}, requests in its busiest minute`, peak(said, MINUTE_S)],
        ]),
      ),
    },
    ratios: byHost.map(([host, said]) => ({
      label: `${host}, busiest minute against its limit of ${limitOf(host)}`,
      value: peak(said, MINUTE_S) / limitOf(host),
      goal: '≤ 1',
    })),
  };
}
