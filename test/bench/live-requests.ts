// How many requests the default profile `live` sends to each host, over simulated days with and without faults, against what the host
// allows: its limit per minute if known, otherwise our own budget per day. BENCH_DAYS sets the length (30).
import { scriptOf, START_S, truthOf } from '../support/live-world/month.ts';
import { requestsByHost } from '../support/live-world/requests.ts';
import { DAY_S } from '../support/live-world/truth-finance.ts';
import { keylessSources, LiveWorld } from '../support/live-world/world.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';
import type { BenchReport } from './report.ts';

const DAYS = Number(process.env['BENCH_DAYS'] ?? 30);

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
  const byHost = requestsByHost(world.journal.said);
  return {
    name: 'live-requests',
    figures: {
      days: DAYS,
      ...Object.fromEntries(
        byHost.flatMap(({ host, in_day, in_minute }) => [
          [`${host}, requests on its busiest day`, in_day],
          [`${host}, requests in its busiest minute`, in_minute],
        ]),
      ),
    },
    ratios: byHost.map(({ host, in_day, in_minute, per_minute_limit, per_day_limit }) =>
      per_minute_limit === null
        ? {
            label: `${host}, busiest day against the budget of ${per_day_limit}`,
            value: in_day / per_day_limit,
            goal: '≤ 1',
          }
        : {
            label: `${host}, busiest minute against its limit of ${per_minute_limit}`,
            value: in_minute / per_minute_limit,
            goal: '≤ 1',
          },
    ),
  };
}
