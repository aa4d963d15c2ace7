import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { endProcess } from '../../support/end-process.ts';
import { openTestStore, type TestStore } from '../../support/ops-store.ts';
import { eventCandidate, ServerFixture } from '../server-fixture.ts';
import { type Accepted, MoodyReceiver, subscribe } from './moody-receiver.ts';

const CHILD = new URL('./kill-child.ts', import.meta.url).pathname;
const RECEIVERS = 3;
const SPEED = 2_000;
/** A response received longer than this before a kill must have been recorded. */
const RECORDED_WITHIN_MS = 2_000;

let fixture: ServerFixture;
let ops: TestStore;
let receivers: MoodyReceiver[];
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  ops = await openTestStore();
  receivers = Array.from({ length: RECEIVERS }, () => new MoodyReceiver());
  for (const receiver of receivers) await receiver.listen();
});
afterEach(async () => {
  for (const receiver of receivers) receiver.stop();
  await ops.remove();
  await fixture.remove();
});

const receivedInAll = () => receivers.reduce((sum, { received }) => sum + received, 0);
const acceptedInAll = () => receivers.reduce((sum, { accepted }) => sum + accepted.size, 0);

test(`${COUNTS.webhookKills} kills lose nothing, and repeat only what was in progress`, {
  timeout: 7_200_000,
}, async () => {
  await subscribe(ops.store, receivers, ['oracle.stale', 'oracle.feed.invalid']);
  const startMs = Date.now();
  const start = () =>
    spawn(process.execPath, [CHILD, fixture.dir, ops.path, String(startMs), String(SPEED)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const ids: string[] = [];
  const kills: Kill[] = [];
  for (let kill = 0; kill <= COUNTS.webhookKills; kill++) {
    const child = start();
    const share = Math.ceil(COUNTS.webhookEvents / (COUNTS.webhookKills + 1));
    const next = Array.from(
      { length: Math.min(share, COUNTS.webhookEvents - ids.length) },
      (_, n) => ids.length + n,
    );
    for (const envelope of await fixture.append(next.map((n) => eventCandidate(n))))
      ids.push(JSON.parse(envelope).event_id);
    await fixture.publish();
    if (kill === COUNTS.webhookKills) {
      while (acceptedInAll() < ids.length * RECEIVERS) await wait(20);
      await endProcess(child, 'SIGTERM');
      break;
    }
    const until = receivedInAll() + 1 + ((kill * 397) % Math.max(2, share * 2));
    while (receivedInAll() < until && acceptedInAll() < ids.length * RECEIVERS) await wait(1);
    const killMs = Date.now();
    await endProcess(child, 'SIGKILL');
    // What the killed process had sent is still read from the sockets.
    await wait(50);
    kills.push({ killMs, quietMs: Date.now() });
  }
  await expectEachOnce(ids, kills);
});

async function expectEachOnce(ids: readonly string[], kills: readonly Kill[]): Promise<void> {
  for (const { accepted } of receivers) {
    expect([...accepted.keys()].toSorted()).toEqual(ids.toSorted());
    expect([...accepted].filter(([, facts]) => !isExcused(facts, kills))).toEqual([]);
  }
  const rows = await Promise.all(
    receivers.map((_, n) => ops.store.deliveries.list(`wh_${n}`, { limit: 1_000_000 })),
  );
  expect(rows.map((list) => list.length)).toEqual(receivers.map(() => ids.length));
  expect(rows.flat().filter(({ status }) => status !== 'delivered')).toEqual([]);
}

interface Kill {
  readonly killMs: number;
  /** Time after which nothing from the killed process could arrive. */
  readonly quietMs: number;
}

/** Each repetition must be explained by its own kill shortly after the delivery it repeats. */
function isExcused({ atMs, again }: Accepted, kills: readonly Kill[]): boolean {
  const times = [atMs, ...again];
  return again.every((_, n) => {
    const [from = 0, to = 0] = times.slice(n, n + 2);
    return kills.some(
      ({ killMs, quietMs }) => from <= quietMs && killMs - from <= RECORDED_WITHIN_MS && to >= killMs,
    );
  });
}
