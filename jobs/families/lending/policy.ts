// When a market is short of liquidity (decisions 22, 23), how old its state may be, and how many blocks deep a log must be to be final
// (decision 29).
import {
  type Contradiction,
  definePolicy,
  oneRow,
  Strict,
  Type,
  type ValuesOf,
} from '../../define/policy/define.ts';

const fraction = { exclusiveMinimum: 0, maximum: 1 };
const Fraction = (value: number, description: string, column?: { column: string }) =>
  Type.Number({ ...fraction, default: value, description, ...column });
const blocks = {
  depth_blocks: Type.Integer({ minimum: 0, maximum: 100_000, description: 'Blocks until a log is final' }),
  block_s: Type.Number({ exclusiveMinimum: 0, maximum: 600, description: 'Time between blocks, seconds' }),
};
const ChainName = Type.String({
  pattern: '^[a-z0-9_-]{1,64}$',
  expected: 'a chain name in lower case',
  description: 'Chain',
});

const UTILIZATION = {
  spike_at: 'Utilization at which a spike starts, as a fraction of the supply',
  rearm_below: 'Utilization below which another spike may start',
};

const MarketOverride = Strict({
  chain: ChainName,
  market_id: Type.String({
    pattern: '^[^A-Z\\s|]{1,200}$',
    expected: 'a market id in lower case',
    description: 'Market',
  }),
  spike_at: Type.Optional(Type.Number({ ...fraction, description: UTILIZATION.spike_at })),
  rearm_below: Type.Optional(Type.Number({ ...fraction, description: UTILIZATION.rearm_below })),
});

const DEFAULT_BLOCKS = { depth_blocks: 64, block_s: 12 };

const schema = Strict({
  utilization: Strict({
    spike_at: Fraction(0.95, UTILIZATION.spike_at),
    rearm_below: Fraction(0.92, UTILIZATION.rearm_below),
  }),
  depth: Strict({
    collapse_at: Fraction(
      0.5,
      'Depth that counts as collapsed, as a fraction of its median over the previous 24 hours',
    ),
    rearm_above: Fraction(
      0.75,
      'Depth above which another collapse may start, as a fraction of that median',
      {
        column: 'collapse_rearm_above',
      },
    ),
    min_median_usd: Type.Number({
      minimum: 0,
      default: 100_000,
      description: 'Minimum median below which depth is not judged, USD',
    }),
    min_observations: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 6,
      description: 'Minimum number of observations in the previous 24 hours',
    }),
    withdrawable_below: Fraction(0.01, 'Withdrawable share of the supply below which a market is drained'),
    withdrawable_rearm_from: Fraction(
      0.02,
      'Withdrawable share of the supply at which a market is no longer drained',
    ),
  }),
  confirm_observations: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 2,
    description: 'Consecutive observations that confirm a spike or a collapse',
  }),
  state_max_age_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 5_400,
    description:
      'Maximum age of a state, seconds; an older one is stale, and a longer time between two states confirms nothing',
  }),
  // Two feeds that each update at a deviation of 1 % may legitimately be this far apart.
  oracle_spread_bps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    default: 200,
    description:
      'Price difference above which two feeds of one pair disagree where the deviation of one of them is unknown, basis points',
  }),
  oracle_spread_margin_bps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    default: 0,
    description:
      'Margin added to the deviations of two feeds of one pair; beyond the sum they disagree, basis points',
  }),
  collateral_gap_bps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    default: 500,
    description:
      'Distance of the market price of a collateral below the price of its oracle from which a condition names the market, basis points',
  }),
  markets: Type.Array(MarketOverride, {
    default: [],
    description: 'Utilization limits of single markets, identified by chain and market id',
  }),
  default_finality: Strict(
    {
      depth_blocks: Type.Integer({
        ...blocks.depth_blocks,
        default: DEFAULT_BLOCKS.depth_blocks,
        column: false,
      }),
      block_s: Type.Number({ ...blocks.block_s, default: DEFAULT_BLOCKS.block_s, column: false }),
    },
    'Finality of a chain that is not listed',
  ),
  finality: Type.Array(Strict({ chain: ChainName, ...blocks }), {
    default: [
      { chain: 'ethereum', ...DEFAULT_BLOCKS },
      { chain: 'arbitrum', depth_blocks: 4_800, block_s: 0.25 },
      { chain: 'base', depth_blocks: 600, block_s: 2 },
      { chain: 'optimism', depth_blocks: 600, block_s: 2 },
      { chain: 'polygon', depth_blocks: 256, block_s: 2 },
      { chain: 'bsc', depth_blocks: 64, block_s: 3 },
    ],
    description: 'Finality of single chains, identified by chain',
  }),
});

export type LendingPolicy = ValuesOf<typeof schema>;

const secondsOf = ({ depth_blocks, block_s }: LendingPolicy['default_finality']): number =>
  Math.ceil(depth_blocks * block_s);

export const lendingPolicy = definePolicy({
  section: 'lending',
  schema,
  lists: {
    markets: { name: ({ chain, market_id }) => `${chain}|${market_id}` },
    finality: { name: ({ chain }) => String(chain) },
  },
  contradictions,
  tables: [
    oneRow('lending', schema, {
      columns: { finality_s: 'BIGINT' },
      rows: ({ default_finality }) => [{ finality_s: secondsOf(default_finality) }],
    }),
    {
      name: 'lending_market',
      columns: { chain: 'VARCHAR', market_id: 'VARCHAR', spike_at: 'DOUBLE', rearm_below: 'DOUBLE' },
      rows: ({ utilization, markets }) => markets.map((market) => ({ ...utilization, ...market })),
    },
    {
      name: 'chain_finality',
      columns: { chain: 'VARCHAR', finality_s: 'BIGINT' },
      rows: ({ finality }) => finality.map((one) => ({ chain: one.chain, finality_s: secondsOf(one) })),
    },
  ],
});

type Limit = readonly [name: string, value: number];

function contradictions({ utilization, depth, markets }: LendingPolicy): readonly Contradiction[] {
  const { withdrawable_below, withdrawable_rearm_from } = depth;
  const bands = [
    ['.utilization', utilization] as const,
    ...markets.map((market) => [`.markets ${market.market_id}`, { ...utilization, ...market }] as const),
  ];
  const drained: Contradiction = [
    '.depth',
    `withdrawable_rearm_from ${withdrawable_rearm_from}, withdrawable_below ${withdrawable_below}`,
    'withdrawable_rearm_from not below withdrawable_below',
  ];
  return [
    ...bands.flatMap(([where, { rearm_below, spike_at }]) =>
      notBelow(where, ['rearm_below', rearm_below], ['spike_at', spike_at]),
    ),
    ...notBelow('.depth', ['collapse_at', depth.collapse_at], ['rearm_above', depth.rearm_above]),
    ...(withdrawable_rearm_from < withdrawable_below ? [drained] : []),
  ];
}

const notBelow = (where: string, low: Limit, high: Limit): readonly Contradiction[] =>
  low[1] < high[1]
    ? []
    : [[where, `${low[0]} ${low[1]}, ${high[0]} ${high[1]}`, `${low[0]} below ${high[0]}`]];
