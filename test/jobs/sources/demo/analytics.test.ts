// The calculations over the demo's own inputs, requested as the documentation shows: a position in a pool, in a portfolio and in a
// simulation, has the shares of the pool's published state.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../../server/deps.ts';
import type { PoolState } from '../../../../schemas/pools.ts';
import type { YieldOpportunity } from '../../../../schemas/yields.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { DEMO_NOW, demoFolder } from '../../../support/demo-folder.ts';

let served: ServerFixture;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  const folder = await demoFolder();
  served = new ServerFixture(join(folder, 'snapshots'));
  served.nowMs = DEMO_NOW * 1000;
  key = await served.key('enterprise');
  server = await served.serve();
}, 300_000);
afterAll(async () => {
  await served?.remove();
});

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, { headers, ...sent });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text).data;
}
const rows = <T>(dataset: string) => ask<readonly T[]>(`/v2/datasets/${dataset}`);

/** The opportunities whose contract is a pool of the given kind, each with the pool's state. */
async function pooled(kind: PoolState['kind']) {
  const states = (await rows<PoolState>('pool-states')).filter((state) => state.kind === kind);
  const found = await rows<YieldOpportunity>('yield-opportunities');
  return states.flatMap((state) => {
    const opportunity = found.find(({ chain, address }) => `${chain}:${address}` === state.id);
    return opportunity === undefined ? [] : [{ state, opportunity }];
  });
}

test('a position in a pool has the shares of the published state of the pool', async () => {
  const stable = await pooled('stable');
  expect(stable.map(({ opportunity }) => opportunity.venue)).toEqual(['curve-dex', 'curve-dex']);
  const positions = stable.map(({ opportunity }) => ({
    opportunity_id: opportunity.id,
    amount_usd: 100_000,
  }));
  const { positions: analyzed } = await ask<{
    positions: readonly {
      opportunity_id: string;
      shares_from: string;
      assets: readonly { symbol: string; share: number }[];
    }[];
  }>('/v2/yield/portfolio/analyze', { positions });
  for (const { state, opportunity } of stable) {
    const own = analyzed.find(({ opportunity_id }) => opportunity_id === opportunity.id);
    expect(own?.shares_from).toBe('pool');
    const shares = own?.assets.map(({ share }) => share) ?? [];
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    // The pool holds more of one coin than of another, so the shares differ.
    expect(new Set(shares).size).toBe(state.symbols.length);
  }
});

test('a position in a pool is simulated from its published state', async () => {
  const [first] = await pooled('stable');
  const shocks = [
    {
      kind: 'peg',
      subject: 'USDC',
      path: [
        [0, 1],
        [6, 0.9],
      ],
    },
  ];
  const positions = [{ kind: 'pool', pool: first?.state.id, amount_usd: 100_000 }];
  const { positions: simulated } = await ask<{ positions: readonly { loss_usd: number; gaps?: unknown }[] }>(
    '/v2/simulator/run',
    { shocks, positions },
  );
  // Arbitrage leaves the pool with more of the fallen coin than before.
  expect(simulated[0]?.loss_usd).toBeGreaterThan(100_000 * 0.1 * 0.33);
  expect(simulated[0]?.loss_usd).toBeLessThan(10_000);
});
