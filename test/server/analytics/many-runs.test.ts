// Thousands of different runs at once against one quota, with a client that retries when the server has no room.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { raw } from '../http/raw-http.ts';
import { ServerFixture } from '../server-fixture.ts';
import { ID, inputs } from './exit-requests.ts';

const LIMIT = COUNTS.monteCarloLimit;
const SENDERS = 100;
const PATH = `/v2/liquidity/${encodeURIComponent(ID)}/exit-monte-carlo`;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(inputs());
});
afterEach(() => fixture.remove());

test(`of ${COUNTS.monteCarloRequests} different runs at once exactly ${LIMIT} are charged and completed`, async () => {
  const key = await fixture.key('team', { limits: { monte_carlo_runs_per_month: LIMIT } });
  const server = await fixture.serve({ anonymousPlan: null });
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answers = new Map<number, number>();
  const send = async (seed: number): Promise<number> => {
    const body = JSON.stringify({ position_usd: 1e6, paths: 100, horizon_hours: 1, seed });
    const { status } = await raw(
      server.url,
      PATH,
      { ...headers, 'Content-Length': `${body.length}` },
      'POST',
      body,
    );
    return status === 503 ? send(seed) : status;
  };
  const sender = async (first: number) => {
    for (let seed = first; seed < COUNTS.monteCarloRequests; seed += SENDERS)
      answers.set(seed, await send(seed));
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, first) => sender(first)));
  const passed = [...answers].filter(([, status]) => status === 200).map(([seed]) => seed);
  expect([...new Set(answers.values())].sort()).toEqual([200, 429]);
  expect(passed).toHaveLength(LIMIT);
  const { analyticsRuns } = await fixture.store();
  expect(await analyticsRuns.countOf('acme', 'monte_carlo', '2026-03')).toBe(LIMIT);
  expect(await send(passed[0] ?? -1)).toBe(200);
});
