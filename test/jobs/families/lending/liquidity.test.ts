// Utilisation and depth of markets, for any states and any cut of time, against a model that goes observation by observation.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { type Edge, edgesOf, type Observed } from './liquidity-model.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
const START = 20_000 * DAY;
const DAYS = 3;

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(lending, [sources, oracles, pools]);
});
afterAll(() => world.close());

const steps = fc.array(
  fc.record({
    gap_s: fc.constantFrom(1, 1_800, 3_600, 5_399, 5_400, 5_401, 9_000, 30_000),
    supplied_usd: fc.constantFrom(0, 500_000, 1_000_000, 1_500_000),
    used: fc.constantFrom(0, 0.3, 0.6, 0.8, 0.91, 0.92, 0.93, 0.949, 0.95, 0.97, 0.985, 0.991, 1, 1.02),
  }),
  { minLength: 1, maxLength: 60 },
);

function statesOf(list: readonly { gap_s: number; supplied_usd: number; used: number }[]): Observed[] {
  let observed_at = START;
  const states = list.map(({ gap_s, supplied_usd, used }) => {
    observed_at += gap_s;
    return { observed_at, supplied_usd, borrowed_usd: supplied_usd * used };
  });
  return states.filter((state) => state.observed_at < START + DAYS * DAY);
}

const inOrder = (edges: readonly Edge[]) =>
  edges.map(({ measure, edge, observed_at }) => `${observed_at} ${measure} ${edge}`).sort();

async function found(market_id: string): Promise<readonly string[]> {
  const rows = await world.rows(
    `select measure, edge, observed_at from derived.market_step where market_id = '${market_id}' and edge is not null`,
  );
  return inOrder(rows as unknown as readonly Edge[]);
}

test('any states, in one go or cut anywhere, have the edges of the model', async () => {
  const markets = fc.sample(steps, { numRuns: 80, seed: 7 }).map(statesOf);
  const rows = markets.flatMap((states, index) =>
    states.map((state) => ({ chain: 'ethereum', market_id: `m${index}`, ...state })),
  );
  await world.landRows('market_state', rows);
  const expected = markets.map((states) => inOrder(edgesOf(states)));
  expect(expected.flat().length).toBeGreaterThan(80);
  const all = () => Promise.all(markets.map((_, index) => found(`m${index}`)));
  await world.compute({ start: START, end: START + DAYS * DAY, now: START + DAYS * DAY - 1 });
  expect(await all()).toEqual(expected);
  for (const cut of [11_000, 50_000, DAY, DAY + 1, 2 * DAY - 1, 2 * DAY + 70_000, DAYS * DAY]) {
    const day = START + cut - 1 - ((cut - 1) % DAY);
    await world.compute({ start: day, end: START + cut, now: START + cut - 1 });
  }
  expect(await all()).toEqual(expected);
});

test('a stale stretch is counted in seconds, and states reported again are no newer', async () => {
  const state = (observed_at: number) => ({
    chain: 'ethereum',
    market_id: 'reported-again',
    observed_at: START + observed_at,
    supplied_usd: 100,
    borrowed_usd: 50,
  });
  const receipt = await world.landRows('market_state', [state(100), state(100), state(100), state(20_000)]);
  expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 2, rows_deduplicated: 2, rows_quarantined: 0 });
  await world.compute({ start: START, end: START + 25_000, now: START + 24_999 });
  const [day] = await world.rows(`select * from derived.market_day where market_id = 'reported-again'`);
  expect(day).toMatchObject({ observations: 2 });
  const gaps = await world.rows(
    `select from_at, to_at from derived.market_gap where market_id = 'reported-again' and day = ${START} order by from_at`,
  );
  expect(gaps).toEqual([
    { from_at: START + 100 + 5_400, to_at: START + 20_000 },
    { from_at: START + 20_000 + 5_400, to_at: START + DAY },
  ]);
});
