// Random published documents of isolated markets, pooled markets, a vault over them and the prices of their assets, and the simulator over
// them in one process, so that one input can be removed at a time.
import fc from 'fast-check';
import { GapList } from '../../../../models/gaps.ts';
import { calculate } from '../../../../models/simulator/calculate.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { SimulatorRequest } from '../../../../schemas/simulator-request.ts';
import { PublishedDocuments } from '../../../../server/analytics/simulator/published-documents.ts';
import { resultOf } from '../../../../server/analytics/simulator/result.ts';
import { simulationInputs } from '../../../../server/analytics/simulator/simulation-inputs.ts';
import { specOf } from '../../../../server/analytics/simulator/simulation-spec.ts';
import { warningsOf } from '../../../../server/analytics/simulator/warnings.ts';
import type { LoadedVersion } from '../../../../server/services.ts';

type Document = { readonly [member: string]: Json };
/** By dataset and key. */
export type Published = { readonly [dataset: string]: { readonly [key: string]: Document } };

const AT = 1_700_000_000;
export const HORIZON = 12;

interface MarketAmounts {
  readonly supplied: number;
  readonly utilization: number;
  readonly free: number;
}

const amounts: fc.Arbitrary<MarketAmounts> = fc.record({
  supplied: fc.integer({ min: 100_000, max: 2_000_000 }),
  utilization: fc.double({ min: 0.3, max: 1, noNaN: true }),
  free: fc.double({ min: 0, max: 1, noNaN: true }),
});

const market = (id: string, { supplied, utilization, free }: MarketAmounts, more: Document): Document => ({
  ...{ chain: 'e', market_id: id, protocol: 'aave-v3', name: null, loan_asset: null, collateral_asset: null },
  ...{ loan_symbol: 'USDC', collateral_symbol: null, lltv: null, oracle_status: 'fresh', feeds: [] },
  ...{ supplied_usd: supplied, borrowed_usd: supplied * utilization, utilization, depth_usd: null },
  ...{ withdrawable_usd: supplied * (1 - utilization) * free, borrow_apr_pct: 3, state_at: AT },
  ...{ liquidation_threshold: 0.8, liquidation_bonus: 0.05, liquidation_protocol_fee: 0.1 },
  ...more,
});

const isolated = (collateral: string): Document => ({
  ...{ protocol: 'morpho-blue', collateral_symbol: collateral, lltv: 0.86 },
  ...{ liquidation_threshold: null, liquidation_bonus: null, liquidation_protocol_fee: null },
});

const tranchesOf = (id: string, { supplied, utilization }: MarketAmounts, falls: readonly number[]) => ({
  ...{ id: `e:${id}`, chain: 'e', market_id: id, observed_at: AT },
  tranches: falls.map((fall, index) => {
    const debt_usd = (supplied * utilization) / falls.length;
    // Debt over what is left of the collateral is the threshold of a Morpho market.
    const collateral_usd = debt_usd / 0.86 / (1 - fall);
    return { fall_from: fall, fall_to: fall, debt_usd, collateral_usd, index };
  }),
});

const returnsOf = (symbol: string, factor: number) => ({
  ...{ symbol, pair: `${symbol}-USD`, price_usd: 1, observed_at: AT, feeds: [] },
  hours: {
    hour: Array.from({ length: 400 }, (_, index) => AT - (400 - index) * 3_600),
    return: Array.from({ length: 400 }, (_, index) => factor * ((index % 7) / 1_000 - 0.003)),
  },
});

const exitInputsOf = (depth_usd: number): Document => ({ depth_usd });

const adaptive: Document = {
  ...{ kind: 'adaptive', base: null, slope1: null, slope2: null, optimal: null },
  ...{ rate_at_target: 0.08, reserve_factor: 0 },
};

export const published: fc.Arbitrary<Published> = fc
  .record({
    one: amounts,
    two: amounts,
    pooled: amounts,
    falls: fc.array(fc.double({ min: 0.001, max: 0.9, noNaN: true }), { minLength: 1, maxLength: 3 }),
    depths: fc.tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 100_000 })),
    held: fc.tuple(
      fc.double({ min: 0, max: 0.3, noNaN: true }),
      fc.double({ min: 0, max: 0.3, noNaN: true }),
    ),
    idle: fc.integer({ min: 0, max: 50_000 }),
  })
  .map(({ one, two, pooled, falls, depths, held, idle }) => {
    const inOne = 10_000 + one.supplied * held[0];
    const inTwo = 10_000 + two.supplied * held[1];
    const total = inOne + inTwo + idle;
    const edge = (to: string, kind: string, usd: number) => ({
      ...{ to, kind, name: null, usd, share: usd / total, observed_at: AT, source_id: 't' },
    });
    return {
      'lending-markets': {
        'e|one': market('one', one, isolated('ETH')),
        'e|two': market('two', two, isolated('XUSD')),
        'e|pooled': market('pooled', pooled, {}),
        'e|eth': market('eth', pooled, { loan_symbol: 'ETH' }),
        'e|xusd': market('xusd', pooled, { loan_symbol: 'XUSD' }),
      },
      'borrower-tranches': { 'e:one': tranchesOf('one', one, falls), 'e:two': tranchesOf('two', two, falls) },
      'rate-models': { 'e:one': adaptive, 'e:two': adaptive, 'e:pooled': adaptive },
      'exit-inputs': { 'e:eth': exitInputsOf(depths[0]), 'e:xusd': exitInputsOf(depths[1]) },
      'return-inputs': {
        ETH: returnsOf('ETH', 1),
        XUSD: returnsOf('XUSD', 0.5),
        USDC: returnsOf('USDC', 0.01),
      },
      'lending-vaults': {
        'e|v': { chain: 'e', vault_address: 'v', asset_symbol: 'USDC', curator: 'careful', name: null },
      },
      'exposure-graph': {
        'vault:e:v': {
          ...{ node: 'vault:e:v', kind: 'vault', name: null, known_share: 1 },
          edges: [
            edge('market:e:one', 'market', inOne),
            edge('market:e:two', 'market', inTwo),
            ...(idle > 0 ? [edge('asset:USDC', 'asset', idle)] : []),
          ],
        },
      },
      'pool-states': {},
    };
  });

export const POSITIONS = [
  { id: 'one', kind: 'supply', market: 'e:one', amount_usd: 1_000 },
  { id: 'two', kind: 'supply', market: 'e:two', amount_usd: 2_000 },
  { id: 'pooled', kind: 'supply', market: 'e:pooled', amount_usd: 1_500 },
  { id: 'vault', kind: 'vault', vault: 'e:v', amount_usd: 5_000 },
  { id: 'pool', kind: 'pool', assets: ['ETH', 'USDC'], amount_usd: 700 },
  {
    ...{ id: 'loan', kind: 'borrow', market: 'e:one' },
    collateral: [{ asset: 'ETH', amount_usd: 1_000 }],
    debt: [{ asset: 'USDC', amount_usd: 700 }],
  },
  {
    ...{ id: 'other-loan', kind: 'borrow', market: 'e:pooled' },
    collateral: [{ asset: 'ETH', amount_usd: 20_000 }],
    debt: [{ asset: 'USDC', amount_usd: 12_000 }],
  },
] as const;

const SUBJECTS = {
  price: ['ETH', 'XUSD', 'USDC', '*'],
  peg: ['ETH', 'XUSD', 'USDC', '*'],
  depth: ['ETH', 'XUSD', '*'],
  oracle_freeze: ['ETH', 'XUSD', 'e:one', '*'],
  withdrawable: ['e:one', 'e:two', 'e:pooled', '*'],
  vault_outflow: ['e:v', 'curator:careful', '*'],
} as const;
type Kind = keyof typeof SUBJECTS;
const KINDS = Object.keys(SUBJECTS) as Kind[];

const factor = fc.double({ min: 0, max: 1, noNaN: true });
const shock = fc.constantFrom(...KINDS).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    subject: fc.constantFrom<string>(...SUBJECTS[kind]),
    path: fc
      .tuple(fc.integer({ min: 0, max: HORIZON }), factor)
      .map(([hour, to]) => [[hour, kind === 'oracle_freeze' ? 0 : to]]),
    others: fc.constantFrom('hold' as const, 'beta' as const),
  }),
);

/** Shocks of different kinds, and at most one that others follow. */
export const shocks = fc
  .uniqueArray(shock, { minLength: 1, maxLength: 3, selector: ({ kind }) => kind })
  .map((all) =>
    all.map(({ others, ...one }) => ({
      ...one,
      others: one.kind === 'price' && one.subject !== '*' ? others : ('hold' as const),
    })),
  );

export function simulated(documents: Published, request: SimulatorRequest) {
  const spec = specOf(request);
  const gaps = new GapList();
  const version = {
    dataset: (id: string) => {
      const own = documents[id];
      return own === undefined
        ? undefined
        : {
            documents: new Map(
              Object.entries(own).map(([key, value]) => [key, Buffer.from(JSON.stringify(value))]),
            ),
          };
    },
  };
  const source = new PublishedDocuments(version as unknown as LoadedVersion, () => 'hash');
  const inputs = simulationInputs(spec, source, gaps);
  const parsed = Object.fromEntries(
    Object.entries(inputs.documents).map(([name, { bytes }]) => [
      name,
      JSON.parse(Buffer.from(bytes).toString('utf8')),
    ]),
  );
  const calculated = calculate(inputs.calculation, parsed);
  const figures = resultOf(spec, inputs, calculated);
  return { ...figures, gaps: gaps.list, warnings: warningsOf(spec, inputs, figures) };
}
