// Three servers that count together in a real PostgreSQL.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { every } from '../../../platform/processes/stop-signal.ts';
import type { Limits } from '../../../server/access/limits.ts';
import { jointLimits } from '../../../server/access/joint-limits.ts';
import { openJointCounts } from '../../../server/store/postgres/open-postgres.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { PostgresFixture } from '../store/postgres-fixture.ts';
import { limitsConform } from './limits-conformance.ts';

const SERVERS = 3;
const LIMIT = 60;
/** A machine under load may be slow without its database being unavailable. */
const PATIENCE_MS = 30_000;
/** Servers report to each other this much more often than in operation. */
const FASTER = 20;
/** Skipped where PostgreSQL is not installed. */
const isInstalled = postgresPrograms() !== undefined;

let cluster: Cluster;
let fixture: PostgresFixture;
let opened: Limits[] = [];
let aheadMs = 0;

beforeAll(async () => {
  const started = await startCluster(['fsync=off']);
  if (started !== undefined) cluster = started;
});
afterAll(() => cluster?.stop());
afterEach(async () => {
  for (const limits of opened) await limits.stop();
  opened = [];
  await fixture?.remove();
});

const nowMs = () => performance.now() + aheadMs;

async function create() {
  fixture = await PostgresFixture.create(cluster);
  await fixture.open();
  aheadMs = 0;
  const log: string[] = [];
  const note = (_: object, message: string) => void log.push(message);
  opened = Array.from({ length: SERVERS }, (_, index) =>
    jointLimits({
      counts: openJointCounts(fixture.url, `server-${index}`),
      every: (ms, work) => every(ms / FASTER, work),
      wait: (ms) => wait(ms, undefined, { ref: false }),
      answerMs: PATIENCE_MS,
      log: { info: note, warn: note },
    }),
  );
  const advance = async (ms: number) => {
    aheadMs += ms;
    await fixture.execute(`update rate_window set started_ms = started_ms - ${ms}`);
  };
  return { servers: opened, nowMs, advance, log };
}

async function burst(servers: readonly Limits[], subject: string, requests = 3 * LIMIT): Promise<number> {
  const rates = await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      servers[index % servers.length]?.keyed.take(subject, LIMIT, nowMs()),
    ),
  );
  return rates.filter((rate) => rate?.isExceeded === false).length;
}

const onPostgres = test.skipIf(!isInstalled);

describe.skipIf(!isInstalled)('limits of three servers (skipped where PostgreSQL is not installed)', () => {
  limitsConform(create);
});

onPostgres('every burst over three servers lets exactly the limit through', async () => {
  const { servers } = await create();
  for (let trial = 0; trial < COUNTS.jointBursts; trial++)
    expect(await burst(servers, `org-${trial}`)).toBe(LIMIT);
});

onPostgres('for requests that are counted together, the headers count down one by one', async () => {
  const { servers } = await create();
  const rates = await Promise.all(
    Array.from({ length: 5 }, () => servers[0]?.keyed.take('acme', 4, nowMs())),
  );
  expect(rates.map((rate) => [rate?.remaining, rate?.isExceeded])).toEqual([
    [3, false],
    [2, false],
    [1, false],
    [0, false],
    [0, true],
  ]);
});

onPostgres(
  'while the database is unavailable, each server admits its share and responds quickly, and afterwards counts with the others again',
  async () => {
    const { servers, log } = await create();
    expect(await burst(servers, 'before')).toBe(LIMIT);
    // Each server now knows of the others.
    await wait(500);
    await cluster.halt();
    const startMs = performance.now();
    expect(await burst(servers, 'during')).toBe(LIMIT);
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(servers.every(({ isAlone }) => isAlone)).toBe(true);
    expect(await servers[0]?.streams.take('acme', SERVERS)).toBe(true);
    expect(await servers[0]?.streams.take('acme', SERVERS)).toBe(false);
    await cluster.restart();
    await expect.poll(() => servers.some(({ isAlone }) => isAlone), { timeout: 10_000 }).toBe(false);
    expect(await burst(servers, 'after')).toBe(LIMIT);
    // The stream that was opened in the meantime counts.
    expect(await servers[1]?.streams.take('acme', 2)).toBe(true);
    expect(await servers[2]?.streams.take('acme', 2)).toBe(false);
    expect(log.filter((line) => line.includes('cannot be counted'))).toHaveLength(SERVERS);
    expect(log.filter((line) => line.includes('again'))).toHaveLength(SERVERS);
  },
);

onPostgres(
  'the streams of a server that stopped, or no longer reports, become available to the others',
  async () => {
    const { servers } = await create();
    expect(await servers[0]?.streams.take('acme', 1)).toBe(true);
    expect(await servers[1]?.streams.take('acme', 1)).toBe(false);
    let isFree = false;
    // The first server may report between the two statements.
    for (let attempt = 0; attempt < 20 && !isFree; attempt++) {
      await fixture.execute('update live_server set seen_ms = seen_ms - 20000');
      isFree = (await servers[1]?.streams.take('acme', 1)) === true;
    }
    expect(isFree).toBe(true);
    servers[1]?.streams.release('acme');
    await servers[1]?.streams.take('other', 1);
    await servers[0]?.stop();
    expect(await servers[2]?.streams.take('acme', 1)).toBe(true);
    opened = opened.slice(1);
  },
);

onPostgres(
  'clock skew between servers, or a database clock that was set back, admits no additional requests',
  async () => {
    const { servers } = await create();
    const apart = [0, 600_000, -600_000];
    const rates = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, index) =>
        servers[index % SERVERS]?.keyed.take('acme', LIMIT, nowMs() + (apart[index % SERVERS] ?? 0)),
      ),
    );
    expect(rates.filter((rate) => rate?.isExceeded === false)).toHaveLength(LIMIT);
    await fixture.execute('update rate_window set started_ms = started_ms + 5000');
    expect(await burst(servers, 'acme')).toBe(0);
  },
);
