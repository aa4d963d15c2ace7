import { afterAll, beforeAll, expect, test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { PostgresFixture } from '../../server/store/postgres-fixture.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type PausedLeader, pauseLeader } from './paused-leaders.ts';

const MAX_MS = 60;
const isInstalled = postgresPrograms() !== undefined;
let cluster: Cluster;

beforeAll(async () => {
  const started = await startCluster(['fsync=off']);
  if (started !== undefined) cluster = started;
});
afterAll(() => cluster?.stop());

test.skipIf(!isInstalled)(
  'a leader that is paused past the takeover and then continues is refused every time (skipped without PostgreSQL)',
  async () => {
    const random = seededRandom(5);
    const figures: PausedLeader[] = [];
    for (let trial = 0; trial < COUNTS.pausedLeaders; trial++) {
      const fixture = await PostgresFixture.create(cluster);
      const afterMs = random() * MAX_MS;
      const { url, dir } = fixture;
      figures.push(await pauseLeader({ url, dir, trial, afterMs, isBlind: trial % 2 === 0 }));
      await fixture.remove();
    }
    expect(figures.filter(({ isClean }) => !isClean)).toEqual([]);
    for (const { words } of figures) expect(words).toMatch(/is over|ENOENT|no such file/);
    const slowest = Math.max(...figures.map(({ takeoverMs }) => takeoverMs));
    console.info(
      `${figures.length} of ${COUNTS.pausedLeaders} refused; slowest takeover ${Math.round(slowest)} ms`,
    );
  },
);
