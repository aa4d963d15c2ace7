// When a market is short of liquidity (decisions 22, 23), how old its state may be, and how deep a block lies before what it holds is
// taken as final (decision 29).
import { Strict, Type } from './define.ts';

/** Fractions of what is supplied; a spike starts at the first and may start again once below the second. */
export interface UtilizationBand {
  readonly spike_at: number;
  readonly rearm_below: number;
}

/** Found by chain and market id. */
export interface LendingMarketOverride extends Partial<UtilizationBand> {
  readonly chain: string;
  readonly market_id: string;
}

/** Found by chain. */
export interface ChainFinality {
  readonly chain: string;
  readonly depth_blocks: number;
  readonly block_s: number;
}

export interface LendingPolicy {
  readonly utilization: UtilizationBand;
  readonly depth: {
    /** Of the median of the 24 hours before. */
    readonly collapse_at: number;
    readonly rearm_above: number;
    /** A smaller median says nothing. */
    readonly min_median_usd: number;
    readonly min_observations: number;
    /** Withdrawable as a fraction of what is supplied. */
    readonly withdrawable_below: number;
    readonly withdrawable_rearm_from: number;
  };
  readonly confirm_observations: number;
  /** A longer time between two states is a stale stretch: it confirms nothing. */
  readonly state_max_age_s: number;
  /** Feeds of one pair behind one market that differ by more than this disagree. */
  readonly oracle_spread_bps: number;
  readonly markets: readonly LendingMarketOverride[];
  readonly default_finality: Omit<ChainFinality, 'chain'>;
  readonly finality: readonly ChainFinality[];
}

export const DEFAULT_LENDING_POLICY: LendingPolicy = Object.freeze({
  utilization: { spike_at: 0.95, rearm_below: 0.92 },
  depth: {
    collapse_at: 0.5,
    rearm_above: 0.75,
    min_median_usd: 100_000,
    min_observations: 6,
    withdrawable_below: 0.01,
    withdrawable_rearm_from: 0.02,
  },
  confirm_observations: 2,
  state_max_age_s: 5_400,
  // Two feeds that move at a deviation of 1 % may lawfully stand this far apart.
  oracle_spread_bps: 200,
  markets: [],
  default_finality: { depth_blocks: 64, block_s: 12 },
  finality: [
    { chain: 'ethereum', depth_blocks: 64, block_s: 12 },
    { chain: 'arbitrum', depth_blocks: 4_800, block_s: 0.25 },
    { chain: 'base', depth_blocks: 600, block_s: 2 },
    { chain: 'optimism', depth_blocks: 600, block_s: 2 },
    { chain: 'polygon', depth_blocks: 256, block_s: 2 },
    { chain: 'bsc', depth_blocks: 64, block_s: 3 },
  ],
});

const Opt = Type.Optional;
const Fraction = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1,
  description: 'a fraction above 0, at most 1',
});
const Blocks = Type.Integer({ minimum: 0, maximum: 100_000 });
const BlockSeconds = Type.Number({ exclusiveMinimum: 0, maximum: 600 });
const ChainName = Type.String({ pattern: '^[a-z0-9_-]{1,64}$', description: 'a chain name in lower case' });

export const LendingSection = Strict({
  utilization: Opt(Strict({ spike_at: Opt(Fraction), rearm_below: Opt(Fraction) })),
  depth: Opt(
    Strict({
      collapse_at: Opt(Fraction),
      rearm_above: Opt(Fraction),
      min_median_usd: Opt(Type.Number({ minimum: 0 })),
      min_observations: Opt(Type.Integer({ minimum: 1, maximum: 10_000 })),
      withdrawable_below: Opt(Fraction),
      withdrawable_rearm_from: Opt(Fraction),
    }),
  ),
  confirm_observations: Opt(Type.Integer({ minimum: 1, maximum: 1_000 })),
  state_max_age_s: Opt(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  oracle_spread_bps: Opt(Type.Number({ minimum: 0, maximum: 10_000 })),
  markets: Opt(
    Type.Array(
      Strict({
        chain: ChainName,
        market_id: Type.String({ pattern: '^[^A-Z\\s|]{1,200}$', description: 'a market id in lower case' }),
        spike_at: Opt(Fraction),
        rearm_below: Opt(Fraction),
      }),
    ),
  ),
  default_finality: Opt(Strict({ depth_blocks: Opt(Blocks), block_s: Opt(BlockSeconds) })),
  finality: Opt(Type.Array(Strict({ chain: ChainName, depth_blocks: Blocks, block_s: BlockSeconds }))),
});

/** What the section cannot check value by value: where, what was given, what was expected. */
export function lendingContradictions(policy: LendingPolicy): readonly (readonly [string, string, string])[] {
  const { utilization, depth, markets } = policy;
  const found: (readonly [string, string, string])[] = [];
  const below = (where: string, low: readonly [string, number], high: readonly [string, number]) => {
    if (low[1] >= high[1])
      found.push([where, `${low[0]} ${low[1]}, ${high[0]} ${high[1]}`, `${low[0]} below ${high[0]}`]);
  };
  for (const [where, band] of [
    ['.lending.utilization', utilization] as const,
    ...markets.map(
      (market) => [`.lending.markets ${market.market_id}`, { ...utilization, ...market }] as const,
    ),
  ]) {
    below(where, ['rearm_below', band.rearm_below], ['spike_at', band.spike_at]);
  }
  below('.lending.depth', ['collapse_at', depth.collapse_at], ['rearm_above', depth.rearm_above]);
  const { withdrawable_below, withdrawable_rearm_from } = depth;
  if (withdrawable_rearm_from < withdrawable_below)
    found.push([
      '.lending.depth',
      `withdrawable_rearm_from ${withdrawable_rearm_from}, withdrawable_below ${withdrawable_below}`,
      'withdrawable_rearm_from not below withdrawable_below',
    ]);
  return found;
}
