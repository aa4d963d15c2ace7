// Portfolios over unusual published inputs: a market that is permanently fully used, one with two hours of history, an asset without a
// feed, a cycle of assets. Each yields a named gap or a truthful figure, never a server error or an invented number.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../platform/base/json.ts';
import { marketOf, normals, returnsOf } from '../analytics/portfolio/world.ts';
import { opportunity } from '../data/paging/yield-model.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

const FULL = opportunity(0, { address: '0xfull' });
const SHORT = opportunity(1, { address: '0xshort' });
const UNPRICED = opportunity(2, { asset: 'NEWCOIN', assets: ['NEWCOIN'], strategy: 'staking' });
const CIRCULAR = opportunity(3, { strategy: 'vault', address: '0xv' });

const documents = <T>(rows: readonly T[], key: (row: T) => string) =>
  rows.map((value) => ({ key: key(value), value: value as unknown as Json }));
const edge = (to: string, share: number) => ({
  ...{ to, share, kind: 'asset', name: null, usd: null, observed_at: 0, source_id: 'test' },
});
const node = (name: string, kind: string, to: string, share: number) => ({
  ...{ node: name, kind, name: null, known_share: share, edges: [edge(to, share)] },
});

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const state = { supplied_usd: 1e6, depth_usd: 1e5 };
  await fixture.publish([
    datasetOf(
      'yield-opportunities',
      documents([FULL, SHORT, UNPRICED, CIRCULAR], ({ id }) => id),
    ),
    datasetOf(
      'return-inputs',
      documents([returnsOf('USDC', normals(2, 800, 0.0001))], ({ symbol }) => symbol),
    ),
    datasetOf(
      'exit-inputs',
      documents(
        [
          marketOf('ethereum:0xfull', { ...state, withdrawable_usd: 0, hours: 800 }),
          marketOf('ethereum:0xshort', { ...state, withdrawable_usd: 5e5, hours: 2 }),
        ],
        ({ id }) => id,
      ),
    ),
    datasetOf(
      'exposure-graph',
      documents(
        [
          node('vault:ethereum:0xv', 'vault', 'asset:DEUSD', 1),
          node('asset:DEUSD', 'asset', 'asset:XUSD', 1),
          node('asset:XUSD', 'asset', 'asset:DEUSD', 1),
        ],
        (row) => row.node,
      ),
    ),
  ]);
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

const post = (body: string) =>
  fetch(`${server.url}/v2/yield/portfolio/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

async function analysisOf({ id }: { readonly id: string }): Promise<PortfolioAnalysis> {
  const positions = [{ opportunity_id: id, amount_usd: 10_000 }];
  const answer = await post(JSON.stringify({ positions, paths: 100 }));
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text).data;
}

const names = (gaps: readonly { readonly gap: string }[] = []) => gaps.map(({ gap }) => gap);

test('nothing ever leaves a market that is permanently fully used', async () => {
  const { liquidity } = await analysisOf(FULL);
  const [position] = liquidity?.positions ?? [];
  expect(position?.withdrawable_usd).toBe(0);
  expect(position?.exit_probability?.map(({ value }) => value)).toEqual([0, 0, 0]);
});

test('two hours of history do not count as history', async () => {
  const { liquidity } = await analysisOf(SHORT);
  expect(liquidity?.positions[0]?.exit_probability).toBeNull();
  expect(liquidity?.gaps).toContainEqual(expect.objectContaining({ gap: 'history_short', have_hours: 2 }));
});

test('an asset without a feed is not covered, and no risk is invented for it', async () => {
  const found = await analysisOf(UNPRICED);
  expect(found.var).toBeNull();
  expect(found.positions[0]?.is_covered_by_var).toBe(false);
  expect(names([...found.gaps, ...(found.positions[0]?.gaps ?? [])])).toContain('price_unknown');
});

test('assets that back only each other have unlimited amplification, reported as null', async () => {
  const { concentration } = await analysisOf(CIRCULAR);
  expect(concentration.look_through?.amplification).toEqual([
    { node: 'asset:DEUSD', value: null },
    { node: 'asset:XUSD', value: null },
  ]);
  const { parts, unknown_share } = concentration.look_through?.by_issuer ?? {
    parts: [],
    unknown_share: null,
  };
  expect([parts, unknown_share]).toEqual([[], 1]);
});

test.each([
  ['Infinity', '1e999', 'validation_failed'],
  ['NaN', 'NaN', 'invalid_request'],
  ['minus zero', '-0', 'validation_failed'],
  ['-1e300', '-1e300', 'validation_failed'],
])('an amount of %s is refused', async (_, amount, code) => {
  const answer = await post(
    `{"positions":[{"opportunity_id":${JSON.stringify(FULL.id)},"amount_usd":${amount}}]}`,
  );
  expect([answer.status, JSON.parse(await answer.text()).error.code]).toEqual([400, code]);
});

test('an id of 10 KB, or of no opportunity, is refused or not found', async () => {
  for (const id of ['x'.repeat(10_240), '__proto__', 'ethereum/aave-v3/']) {
    const answer = await post(JSON.stringify({ positions: [{ opportunity_id: id, amount_usd: 1 }] }));
    expect([400, 404]).toContain(answer.status);
    await answer.text();
  }
});
