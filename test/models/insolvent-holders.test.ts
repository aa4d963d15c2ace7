// Positions that share one loss, worked out by hand: a vault next to a supplier of an insolvent market, positions merged and split, amounts
// around the free liquidity, two markets with one collateral, and other orders of the request.
import { expect, test } from 'vitest';
import type {
  Loan,
  Position,
  Shock,
  SimulatedMarket,
  SimulationInput,
} from '../../models/simulator/inputs.ts';
import { simulate } from '../../models/simulator/simulate.ts';

const loan = (market: string, debt: number, collateral: number): Loan => ({
  ...{ market, rules: 'morpho-blue', oracle: 'hardcoded' },
  collateral: [{ asset: 'ETH', usd: collateral, threshold: 0.86, bonus: 0.04, protocol_fee: 0 }],
  debt: [{ asset: 'USDC', usd: debt, market }],
});

/** Supplied 1,000, of which 800 are borrowed against ETH of 1,000; at a quarter of its price 250 cover them and 550 are uncovered. */
const market = (id: string, changes: Partial<SimulatedMarket> = {}): SimulatedMarket => ({
  ...{ id, asset: 'USDC', supplied_usd: 1_000, borrowed_usd: 800, withdrawable_usd: 200 },
  ...{ curve: null, reserve_factor: null, collateral: 'ETH', loans: [loan(id, 800, 1_000)] },
  ...changes,
});
const FALL: Shock = { kind: 'price', subject: 'ETH', path: [[0, 0.25]] };
const UNCOVERED = 550;

const input = (positions: readonly Position[], changes: Partial<SimulationInput> = {}): SimulationInput => ({
  ...{ shocks: [FALL], betas: null, depths: new Map(), markets: [market('m')], horizon_hours: 2 },
  vaults: [
    {
      ...{ id: 'v', asset: 'USDC', holdings: [{ market: 'm', usd: 400 }] },
      ...{ idle_usd: 100, unknown_usd: 0 },
    },
  ],
  positions,
  ...changes,
});
const supply = (key: string, usd: number, id = 'm'): Position => ({ key, kind: 'supply', market: id, usd });
const vault = (key: string, usd: number): Position => ({ key, kind: 'vault', vault: 'v', usd });

function resultsOf(one: SimulationInput) {
  const { positions } = simulate(one);
  return (key: string) => {
    const found = positions.get(key);
    if (found === undefined) throw new Error(`no position ${key}`);
    const { before, after, unknown } = found;
    return {
      loss: before.value_usd - after.value_usd,
      withdrawable: after.withdrawable_usd,
      isKnown: !unknown.has('loss'),
    };
  };
}

test('a vault and a supplier of one insolvent market bear the same share of what is uncovered', () => {
  const of = resultsOf(input([supply('s', 300), vault('v', 500)]));
  expect(of('s').loss).toBeCloseTo((300 * UNCOVERED) / 1_000, 9);
  // The vault has 400 in the market and 100 idle; the position is all of it.
  expect(of('v').loss).toBeCloseTo((400 * UNCOVERED) / 1_000, 9);
  expect(of('s').withdrawable).toBeCloseTo((300 * 200) / 1_000, 9);
  expect(of('v').withdrawable).toBeCloseTo(100 + (400 * 200) / 1_000, 9);
  expect([of('s').isKnown, of('v').isKnown]).toEqual([true, true]);
});

test('splitting and merging the positions next to a vault changes no one’s share', () => {
  const merged = resultsOf(input([supply('s', 600), vault('v', 500)]));
  const split = resultsOf(
    input([supply('a', 1), supply('b', 599), vault('c', 125), vault('d', 375)].toReversed()),
  );
  expect(merged('s').loss).toBeCloseTo(330, 9);
  expect([split('a').loss, split('b').loss]).toEqual([
    expect.closeTo(0.55, 9) as number,
    expect.closeTo(329.45, 9) as number,
  ]);
  expect(merged('v').loss).toBeCloseTo(220, 9);
  expect([split('c').loss, split('d').loss]).toEqual([
    expect.closeTo(55, 9) as number,
    expect.closeTo(165, 9) as number,
  ]);
});

test.each([
  [199, 199, 0],
  [200, 200, 0],
  // The last unit waits next to the 799 of the others.
  [201, 200, UNCOVERED / 800],
])('of %d that leave first %d can be withdrawn and %d is lost', (usd, withdrawable, loss) => {
  const of = resultsOf(input([supply('s', usd)], { vaults: [], first_to_leave: true }));
  expect(of('s').withdrawable).toBeCloseTo(withdrawable, 9);
  expect(of('s').loss).toBeCloseTo(loss, 9);
});

test.each([
  [99, 99],
  [100, 100],
  // The hundred and first unit comes out of the market, where it is first too.
  [101, 101],
  [300, 300],
  [301, 300],
])(
  'of %d shares of a vault that leave first %d can be withdrawn: its idle money and the free liquidity',
  (usd, out) => {
    const of = resultsOf(input([vault('v', usd)], { first_to_leave: true }));
    expect(of('v').withdrawable).toBeCloseTo(out, 9);
    expect(of('v').loss).toBeCloseTo(((usd - out) * UNCOVERED) / 800, 9);
  },
);

test('one fall of a collateral reaches both markets that take it, each by its own debts', () => {
  const half = market('half', { supplied_usd: 2_000, loans: [loan('half', 800, 2_000)] });
  const other = market('other', {
    collateral: 'BTC',
    loans: [
      {
        ...loan('other', 800, 1_000),
        collateral: [{ asset: 'BTC', usd: 1_000, threshold: 0.86, bonus: 0.04, protocol_fee: 0 }],
      },
    ],
  });
  const positions = [supply('a', 100), supply('b', 100, 'half'), supply('c', 100, 'other')];
  const of = resultsOf(input(positions, { vaults: [], markets: [market('m'), half, other] }));
  expect(of('a').loss).toBeCloseTo(55, 9);
  // 800 against 2,000 · .25 = 500 leaves 300 of a supply of 2,000.
  expect(of('b').loss).toBeCloseTo(15, 9);
  expect(of('c').loss).toBe(0);
});

test('unknown borrowers of one of the two take the known loss of the other along only through sales', () => {
  const positions = [supply('a', 100), supply('b', 100, 'blind')];
  const blind = market('blind', { loans: null });
  const of = resultsOf(input(positions, { vaults: [], markets: [market('m'), blind] }));
  expect(of('b').isKnown).toBe(false);
  // Borrowers who are liquidated sell ETH, so its price, and what covers the debts of the first market, are unknown too.
  expect(of('a').isKnown).toBe(false);
  const other = market('blind', { loans: null, collateral: 'BTC' });
  const apart = resultsOf(input(positions, { vaults: [], markets: [market('m'), other] }));
  expect([apart('a').isKnown, apart('b').isKnown]).toEqual([true, true]);
  expect([apart('a').loss, apart('b').loss]).toEqual([expect.closeTo(55, 9) as number, 0]);
});

test('the order of positions, markets and vaults changes no bit, whatever is unknown', () => {
  const positions = [supply('a', 100), vault('b', 50), supply('c', 100, 'blind')];
  const blind = market('blind', { loans: null });
  const one = input(positions, { markets: [market('m'), blind] });
  const other = input(positions.toReversed(), { markets: [blind, market('m')] });
  const [first, second] = [simulate(one), simulate(other)];
  for (const [key, outcome] of first.positions) expect(second.positions.get(key)).toEqual(outcome);
});
