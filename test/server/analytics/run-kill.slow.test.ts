// kill -9 while runs are charged: a charge and its stored response exist both or not at all.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT_MODEL_VERSION } from '../../../models/exit.ts';
import { runIdentity } from '../../../server/analytics/run-identity.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { addKey, openTestStore, type TestStore } from '../../support/ops-store.ts';
import { ServerFixture } from '../server-fixture.ts';
import { ID, inputs } from './exit-requests.ts';

const CHILD = new URL('./run-kill-child.ts', import.meta.url).pathname;
const REQUESTS = 24;

let fixture: ServerFixture;
let ops: TestStore;
let version: string;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  version = await fixture.publish(inputs());
  ops = await openTestStore();
  key = (await addKey(ops.store, 'enterprise')).text;
});
afterEach(async () => {
  await ops.remove();
  await fixture.remove();
});

async function start(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [CHILD, fixture.dir, ops.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

const post = (url: string, seed: number) =>
  fetch(`${url}/v2/liquidity/${encodeURIComponent(ID)}/exit-monte-carlo`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': `run-${seed}`,
    },
    body: JSON.stringify({ position_usd: 1e6, paths: 200, seed }),
  });

/** The identity of the run as the service computes it. */
function runKeyOf(seed: number): string {
  const request = {
    ...{ position_usd: 1e6, horizon_hours: 24, paths: 200, max_slippage_bps: 100, confidence: [0.95, 0.99] },
    ...{ strategy: 'immediate', initial_utilization: null },
  };
  const endpoint = '/v2/liquidity/:id/exit-monte-carlo';
  const versions = { snapshot_version: version, model_version: EXIT_MODEL_VERSION, policy_version: '1.0.0' };
  return runIdentity({ endpoint, id: ID, request, ...versions }, seed).run_key;
}

const isCharged = (seed: number) => ops.store.analyticsRuns.isCharged('acme', 'monte_carlo', runKeyOf(seed));

test('no kill leaves a charge without its response, or a response without its charge', async () => {
  let charged = 0;
  for (let kill = 0; kill < COUNTS.runKills; kill++) {
    const seeds = Array.from({ length: REQUESTS }, (_, i) => kill * REQUESTS + i);
    const { child, url } = await start();
    const answered: number[] = [];
    const sent = seeds.map((seed) =>
      post(url, seed)
        .then(async (answer) => {
          await answer.text();
          if (answer.status === 200 && answered.push(seed) > (kill * 7) % 15) child.kill('SIGKILL');
        })
        .catch(() => undefined),
    );
    await Promise.all(sent);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const before = await Promise.all(seeds.map(isCharged));
    charged += before.filter(Boolean).length;
    for (const seed of answered) expect(before[seeds.indexOf(seed)]).toBe(true);
    const again = await start();
    for (const [i, seed] of seeds.entries()) {
      const answer = await post(again.url, seed);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-idempotency-replayed') === 'true', `run ${seed}`).toBe(before[i]);
    }
    expect(await Promise.all(seeds.map(isCharged))).toEqual(seeds.map(() => true));
    again.child.kill('SIGKILL');
    await once(again.child, 'exit');
  }
  expect(charged).toBeGreaterThan(0);
});
