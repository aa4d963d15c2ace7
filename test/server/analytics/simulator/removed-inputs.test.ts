// Whatever input is missing, no result looks better than with it: a loss is larger, equal or unknown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../../platform/base/json.ts';
import type { SimulatorRequest } from '../../../../schemas/simulator-request.ts';
import { HORIZON, POSITIONS, type Published, published, shocks, simulated } from './published-world.ts';

/** The documents with one changed or, without a change, removed. */
function without(
  all: Published,
  [dataset, key]: readonly [string, string],
  change?: { readonly [member: string]: Json },
): Published {
  const { [key]: found, ...others } = all[dataset] ?? {};
  if (found === undefined) throw new Error(`${dataset} has no ${key}`);
  return { ...all, [dataset]: change === undefined ? others : { ...others, [key]: { ...found, ...change } } };
}

const ofMarket = (market: string, change: { readonly [member: string]: Json }) => (all: Published) =>
  without(all, ['lending-markets', `e|${market}`], change);
const document = (dataset: string, key: string) => (all: Published) => without(all, [dataset, key]);

function withoutEdge(all: Published, to: string): Published {
  const node = all['exposure-graph']?.['vault:e:v'];
  const edges = (node?.['edges'] ?? []) as { readonly to: string }[];
  return without(all, ['exposure-graph', 'vault:e:v'], { edges: edges.filter((edge) => edge.to !== to) });
}

const REMOVALS: readonly (readonly [string, (all: Published) => Published])[] = [
  ['the borrowers of a market', document('borrower-tranches', 'e:one')],
  ['the borrowers of another market', document('borrower-tranches', 'e:two')],
  [
    'one group of borrowers',
    (all) => {
      const tranches = all['borrower-tranches']?.['e:one']?.['tranches'] as Json[];
      return without(all, ['borrower-tranches', 'e:one'], { tranches: tranches.slice(1) });
    },
  ],
  ['the protocol of a market', ofMarket('two', { protocol: null })],
  ['the threshold of a market', ofMarket('one', { lltv: null })],
  ['the threshold of a collateral', ofMarket('eth', { liquidation_threshold: null })],
  ['the bonus of a collateral', ofMarket('eth', { liquidation_bonus: null })],
  ['the share of the bonus that the protocol keeps', ofMarket('eth', { liquidation_protocol_fee: null })],
  ['the supply of a market', ofMarket('one', { supplied_usd: null })],
  ['the debt of a market', ofMarket('two', { borrowed_usd: null, utilization: null })],
  ['the debt of a pooled market', ofMarket('pooled', { borrowed_usd: null, utilization: null })],
  ['the free liquidity of a market', ofMarket('one', { withdrawable_usd: null })],
  ['the free liquidity of a pooled market', ofMarket('pooled', { withdrawable_usd: null })],
  ['the lent asset of a market', ofMarket('two', { loan_symbol: null })],
  ['the state of an oracle', ofMarket('one', { oracle_status: 'unknown' })],
  ['updates of an oracle', ofMarket('one', { oracle_status: 'stale' })],
  ['the rates of a market', document('rate-models', 'e:one')],
  ['the rates of a pooled market', document('rate-models', 'e:pooled')],
  ['all rates', (all) => ({ ...all, 'rate-models': {} })],
  ['the depth of a collateral', document('exit-inputs', 'e:eth')],
  ['the depth of another collateral', document('exit-inputs', 'e:xusd')],
  ['the returns of a collateral', document('return-inputs', 'ETH')],
  ['the returns of the lent asset', document('return-inputs', 'USDC')],
  ['the holdings of a vault', document('exposure-graph', 'vault:e:v')],
  ['one holding of a vault', (all) => withoutEdge(all, 'market:e:one')],
  ['the curator of a vault', (all) => without(all, ['lending-vaults', 'e|v'], { curator: null })],
  ['the asset of a vault', (all) => without(all, ['lending-vaults', 'e|v'], { asset_symbol: null })],
];

const reassuring = (warnings: readonly string[]) =>
  warnings.filter((warning) => warning.startsWith('shock_touches_nothing'));

test.each(REMOVALS)('without %s no result is better', (_, remove) => {
  fc.assert(
    fc.property(published, shocks, fc.boolean(), (all, own, first_to_leave) => {
      const request = {
        shocks: own,
        positions: POSITIONS,
        horizon_hours: HORIZON,
        assumptions: { first_to_leave },
      } as unknown as SimulatorRequest;
      const whole = simulated(all, request);
      const partial = simulated(remove(all), request);
      for (const [index, { id, loss_usd, after, kind }] of partial.positions.entries()) {
        const before = whole.positions[index];
        const size = POSITIONS[index];
        const rounding = 0.02 + 1e-9 * (size !== undefined && 'amount_usd' in size ? size.amount_usd : 1e5);
        if (loss_usd !== null) {
          expect(before?.loss_usd, `${id} is known only without it`).not.toBeNull();
          expect(loss_usd, `the loss of ${id}`).toBeGreaterThanOrEqual((before?.loss_usd ?? 0) - rounding);
        }
        const value = partial.positions[index]?.before?.value_usd ?? null;
        if (value !== null && before?.before)
          expect(value, `the value of ${id} at the start`).toBeLessThanOrEqual(
            (before.before.value_usd ?? Number.NEGATIVE_INFINITY) + rounding,
          );
        const free = after?.withdrawable_usd ?? null;
        const freeBefore = before?.after?.withdrawable_usd ?? null;
        if (kind !== 'borrow' && free !== null && freeBefore !== null)
          expect(free, `what can be withdrawn of ${id}`).toBeLessThanOrEqual(freeBefore + rounding);
      }
      expect(partial.totals.covered_share).toBeLessThanOrEqual(whole.totals.covered_share);
      expect(reassuring(whole.warnings)).toEqual(expect.arrayContaining([...reassuring(partial.warnings)]));
      for (const figure of ['bad_debt_usd', 'unrealised_bad_debt_usd'] as const) {
        const wide = partial.totals.market_wide[figure];
        if (wide !== null)
          expect(wide).toBeGreaterThanOrEqual((whole.totals.market_wide[figure] ?? 0) - 0.02);
      }
    }),
    { numRuns: 60, seed: 7, endOnFailure: true },
  );
});

test.each([
  ['fresh', []],
  ['stale', ['oracle_stale']],
  ['unverifiable', ['oracle_unverifiable']],
  ['unknown', ['oracle_unverifiable']],
])(
  'an oracle that is %s now has the gaps %j, unless the caller assumes how it determines its price',
  (status, gaps) => {
    const [all] = fc.sample(published, { numRuns: 1, seed: 7 });
    if (all === undefined) throw new Error('no documents');
    const changed = ofMarket('one', { oracle_status: status })(all);
    const gapsWith = (assumptions: object) => {
      const request = { shocks: [], positions: POSITIONS, horizon_hours: HORIZON, assumptions };
      const found = simulated(changed, request as unknown as SimulatorRequest).gaps;
      return found
        .filter(({ subject, gap }) => subject === 'e:one' && gap.startsWith('oracle_'))
        .map(({ gap }) => gap);
    };
    expect(gapsWith({})).toEqual(gaps);
    expect(gapsWith({ oracles: [{ market: 'e:one', oracle: 'hardcoded' }] })).toEqual([]);
  },
);

test('the value at the start needs no borrower whose debt is covered, whatever is unknown of liquidations', () => {
  const [all] = fc.sample(published, { numRuns: 1, seed: 7 });
  if (all === undefined) throw new Error('no documents');
  const before = (documents: Published) => {
    const request = { shocks: [], positions: POSITIONS.slice(0, 1), horizon_hours: HORIZON };
    const { positions, gaps } = simulated(documents, request as unknown as SimulatorRequest);
    return {
      value: positions.find(({ id }) => id === 'one')?.before?.value_usd,
      isGap: gaps.some(({ gap, subject }) => gap === 'borrowers_unknown' && subject === 'e:one'),
    };
  };
  const unruled = ofMarket('one', { protocol: null })(all);
  expect(before(all)).toEqual({ value: 1_000, isGap: false });
  expect(before(unruled)).toEqual({ value: 1_000, isGap: true });
  expect(before(without(all, ['borrower-tranches', 'e:one']))).toEqual({ value: null, isGap: true });
  const tranches = all['borrower-tranches']?.['e:one']?.['tranches'] as { debt_usd: number }[];
  const owing = (collateralOf: (debt: number) => number) =>
    without(unruled, ['borrower-tranches', 'e:one'], {
      tranches: tranches.map((one) => ({ ...one, collateral_usd: collateralOf(one.debt_usd) })),
    });
  expect(before(owing((debt) => debt)).value).toBe(1_000);
  expect(before(owing((debt) => debt * (1 - 1e-6))).value).toBeNull();
});
