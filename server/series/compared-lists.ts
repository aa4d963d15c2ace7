// Which figures of a list are compared with earlier times, and the history that has them.
import { NETWORK_A_SERIES } from '../../schemas/network-a.ts';
import { NETWORK_B_SERIES } from '../../schemas/network-b.ts';
import { LAYER2_SERIES } from '../../schemas/layer2.ts';
import { LENDING_SERIES } from '../../schemas/lending.ts';
import { PEG_SERIES } from '../../schemas/oracle-series.ts';
import { OVERALL_SERIES } from '../../schemas/overall.ts';
import type { SeriesDefinition } from '../../schemas/series.ts';
import { YIELD_SERIES } from '../../schemas/yields.ts';
import type { Fields } from '../define/list-shape.ts';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';

interface FigureHistory {
  /** Column of the history. */
  readonly column: string;
  /** Decimals of the figure in the list, to which its change is rounded. */
  readonly digits: number;
}

/** By the name of the figure in the list. */
type FigureHistories = Readonly<Record<string, FigureHistory>>;

export interface RowHistory {
  readonly definition: SeriesDefinition;
  readonly figures: FigureHistories;
}

export interface ComparedList {
  readonly dataset: string;
  /** Undefined for a row of a kind without a history. */
  historyOf(row: Fields): RowHistory | undefined;
  /** The key of the row's document in its history. */
  keyOf(row: Fields): string;
  /** Member with the time of the figures: Unix seconds, an ISO time or a day. */
  readonly time: string;
  /** The figures are those of a complete day, however long ago, and are compared with earlier days. */
  readonly isOfDay?: true;
}

const figure = (column: string, digits: number): FigureHistory => ({ column, digits });

function listOf(
  definition: SeriesDefinition,
  figures: FigureHistories,
  rest: Pick<ComparedList, 'keyOf' | 'time' | 'isOfDay'>,
): ComparedList {
  const history = { definition, figures };
  return {
    ...rest,
    dataset: definition.dataset,
    historyOf: () => history,
  };
}

export const COMPARED_MARKETS = listOf(
  LENDING_SERIES,
  {
    utilization: figure('utilization', 9),
    supplied_usd: figure('supplied_usd', 6),
    borrowed_usd: figure('borrowed_usd', 6),
    withdrawable_usd: figure('withdrawable_usd', 6),
    depth_usd: figure('depth_usd', 6),
    supply_apr_pct: figure('supply_apr_pct', 9),
    borrow_apr_pct: figure('borrow_apr_pct', 9),
  },
  { keyOf: ({ chain, market_id }) => `${chain}|${market_id}`, time: 'state_at' },
);

export const COMPARED_PEGS = listOf(
  PEG_SERIES,
  { deviation_bps: figure('deviation_bps', 6), spread_bps: figure('spread_bps', 6) },
  {
    keyOf: ({ chain, asset_name }) => `${chain}|${foldAddresses(String(asset_name))}`,
    time: 'observed_at',
  },
);

export const COMPARED_YIELDS = listOf(
  YIELD_SERIES,
  {
    netApy: figure('net_apy', 9),
    tvlUsd: figure('tvl_usd', 6),
    availableLiquidityUsd: figure('available_liquidity_usd', 6),
    riskScore: figure('risk_score', 6),
  },
  { keyOf: ({ id }) => String(id), time: 'updatedAt' },
);

export const COMPARED_SCORES = listOf(
  OVERALL_SERIES,
  { score: figure('score', 4) },
  { keyOf: ({ protocol }) => String(protocol), time: 'timestamp', isOfDay: true },
);

const BLOCKS = { blocks: figure('blocks', 0), transactions: figure('transactions', 0) };

const NETWORK_HISTORIES: Readonly<Record<string, RowHistory>> = {
  smart_contract: {
    definition: NETWORK_A_SERIES,
    figures: {
      ...BLOCKS,
      block_time_s: figure('block_time_s', 6),
      validators: figure('num_validators', 0),
      total_stake_native: figure('total_stake_native', 6),
    },
  },
  sharded: {
    definition: NETWORK_B_SERIES,
    figures: { ...BLOCKS, validators: figure('validators', 0), fees_native: figure('fees_native', 6) },
  },
  layer2: {
    definition: LAYER2_SERIES,
    figures: {
      transactions: figure('transactions', 0),
      block_time_s: figure('avg_block_time_s', 6),
      fees_usd: figure('fees_usd', 2),
      tvl_usd: figure('tvl_usd', 2),
    },
  },
};

export const COMPARED_NETWORKS: ComparedList = {
  dataset: 'networks',
  historyOf: ({ kind }) => NETWORK_HISTORIES[String(kind)],
  keyOf: ({ network }) => String(network),
  time: 'day',
  isOfDay: true,
};
