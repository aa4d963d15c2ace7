// Inputs of markets: feeds, lending, yields, restaking, anomalies, sandwiches, the market's regime.
import { analytics } from '../../../../../jobs/families/analytics/domain.ts';
import { anomalies } from '../../../../../jobs/families/anomalies/domain.ts';
import { borrowing } from '../../../../../jobs/families/borrowing/domain.ts';
import { lending } from '../../../../../jobs/families/lending/domain.ts';
import { mev } from '../../../../../jobs/families/mev/domain.ts';
import { oraclePaths } from '../../../../../jobs/families/oracle-paths/domain.ts';
import { oracles } from '../../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../../jobs/families/pools/domain.ts';
import { regime } from '../../../../../jobs/families/regime/domain.ts';
import { restaking } from '../../../../../jobs/families/restaking/domain.ts';
import { sources } from '../../../../../jobs/families/sources/domain.ts';
import { vaults } from '../../../../../jobs/families/vaults/domain.ts';
import { yields } from '../../../../../jobs/families/yields/domain.ts';
import { DAY, each, every, type FamilyInputs, FIRST, HOUR, noise } from './family-inputs.ts';

const FEEDS = { '0xfe': 'ETH', '0xfb': 'BTC', '0xfc': 'USDC' };
const PRICES = { ETH: 3_000, BTC: 90_000, USDC: 1 };

const registry = Object.entries(FEEDS).map(([feed_address, base]) => ({
  chain: 'ethereum',
  provider: 'chainlink',
  feed_address,
  name: `${base} / USD`,
  base,
  quote: 'USD',
  category: 'verified',
  risk_level: 'low',
  heartbeat_s: 3 * HOUR,
  deviation_bps: 50,
  decimals: 8,
  market_hours: 'crypto',
  observed_at: FIRST,
}));
const rounds = each(Object.keys(FEEDS), every(2 * HOUR), (feed_address, updated_at, at) => {
  const base = FEEDS[feed_address as keyof typeof FEEDS] as keyof typeof PRICES;
  const price = PRICES[base] * (base === 'USDC' ? 1 : 1 + 0.01 * noise(feed_address, at));
  return {
    chain: 'ethereum',
    feed_address,
    round_id: String((1n << 64n) + BigInt(at + 1)),
    answer: String(Math.round(price * 1e8)),
    decimals: 8,
    updated_at,
  };
});

export const oracleInputs: FamilyInputs = {
  id: 'oracles',
  domains: [sources, oracles, pools],
  tables: { feed_registry: registry, feed_round: rounds },
};

const MARKETS = ['0x01', '0x02'];

export const lendingInputs: FamilyInputs = {
  id: 'lending',
  domains: [sources, oracles, pools, lending],
  tables: {
    feed_registry: registry,
    feed_round: rounds,
    lending_protocol: [{ protocol: 'morpho', name: 'Morpho', category: 'lending', observed_at: FIRST }],
    lending_market: MARKETS.map((market_id) => ({
      chain: 'ethereum',
      market_id,
      protocol: 'morpho',
      name: market_id,
      loan_symbol: 'USDC',
      collateral_symbol: 'ETH',
      lltv: 0.8,
      category: 'blue',
      provider: 'chainlink',
      risk_level: 'low',
      observed_at: FIRST,
    })),
    market_oracle: MARKETS.map((market_id) => ({
      chain: 'ethereum',
      market_id,
      oracle_address: `0xa${market_id.slice(2)}`,
      feed_address: '0xfe',
      provider: 'chainlink',
      observed_at: FIRST,
    })),
    market_state: each(MARKETS, every(HOUR), (market_id, observed_at, at) => ({
      chain: 'ethereum',
      market_id,
      observed_at,
      supplied: 1_000_000 + at,
      borrowed: 500_000 + at,
      supplied_usd: 1_000_000 + at,
      borrowed_usd: 500_000 + at,
      withdrawable_usd: 500_000,
      exit_depth_usd: 400_000 + at,
    })),
    market_parameter: each(MARKETS, every(6 * HOUR), (market_id, observed_at, at) => ({
      chain: 'ethereum',
      market_id,
      observed_at,
      loan_to_value: 0.7,
      liquidation_threshold: at < 20 ? 0.8 : 0.82,
      supply_cap: 2_000_000,
      borrow_cap: 1_500_000,
    })),
  },
};

export const yieldInputs: FamilyInputs = {
  id: 'yields',
  domains: [sources, oracles, pools, lending, borrowing, analytics, oraclePaths, vaults, yields],
  tables: {
    yield_pool: each(['p1', 'p2', 'p3'], every(DAY), (pool_id, observed_at) => ({
      pool_id,
      project: 'morpho',
      chain_name: 'Ethereum',
      observed_at,
      asset: 'USDC',
      is_stablecoin: true,
      tvl_usd: 1e7 * (1 + noise(pool_id, observed_at)),
      net_apy: 3 + noise('apy', pool_id, observed_at),
      base_apy: 3 + noise('apy', pool_id, observed_at),
      track_record_days: 100,
      has_il_risk: false,
      exposure: 'single',
    })),
    yield_venue: [
      { project: 'morpho', launched_at: FIRST - 700 * DAY, audits: 5, incidents: 0, observed_at: FIRST },
    ],
    yield_coin: [
      { coin_id: '1', symbol: 'USDC', peg_type: 'peggedUSD', mechanism: 'fiat-backed', observed_at: FIRST },
    ],
  },
};

export const restakingInputs: FamilyInputs = {
  id: 'restaking',
  domains: [sources, oracles, pools, restaking],
  tables: {
    restaking_state: each(['EigenLayer', 'Renzo'], every(6 * HOUR), (protocol, observed_at, at) => ({
      protocol,
      category: 'Restaking',
      observed_at,
      total_restaked_native: 1_000 + at,
      total_restaked_usd: 3e6 + at,
      registered_node_operators: 10 + at,
      staker_rewards: 0.9,
      protocol_fees: 0.05,
      node_operator_fees: 0.05,
      total_staked_native: 2_000 + at,
      total_staked_usd: 6e6 + at,
      strategy_count: 10,
      deployed_pods: 100 + at,
    })),
  },
};

export const anomalyInputs: FamilyInputs = {
  id: 'anomalies',
  domains: [anomalies],
  tables: {
    tvl_reading: each(['aave', 'lido'], every(DAY, FIRST - 10 * DAY), (protocol, observed_at) => ({
      protocol,
      observed_at,
      tvl_usd: 1e9 * (1 + 0.01 * noise(protocol, observed_at)),
    })),
    capital_flow: each(['aave', 'lido'], every(DAY, FIRST - 10 * DAY), (protocol, observed_at) => ({
      protocol,
      observed_at,
      inflow_usd: 1e6 * noise('in', protocol, observed_at),
      outflow_usd: 1e6 * noise('out', protocol, observed_at),
    })),
    holder_concentration: each(['aave'], every(DAY, FIRST - 10 * DAY), (entity_id, observed_at) => ({
      protocol: 'aave',
      entity_id,
      observed_at,
      top_holder_share: 0.3 + 0.01 * noise(observed_at),
    })),
  },
};

const TOKEN = (letter: string) => `0x${letter.repeat(40)}`;
const swap = (at: number, index: number, sender: string, isBuy: boolean) => ({
  chain: 'ethereum',
  block_number: 100 + Math.floor((at - FIRST) / (6 * HOUR)),
  observed_at: at,
  tx_index: index,
  tx_hash: `0x${(at * 10 + index).toString(16)}`,
  swap_index: index,
  pool_id: '0xpool',
  protocol: 'uniswap',
  sender: TOKEN(sender),
  token_in: TOKEN(isBuy ? 'a' : 'b'),
  token_out: TOKEN(isBuy ? 'b' : 'a'),
  amount_in: isBuy ? '1000' : '500',
  amount_out: isBuy ? '500' : '1010',
  amount_in_usd: isBuy ? 50_000 : 50_500,
  amount_out_usd: isBuy ? 50_000 : 50_500,
});

export const mevInputs: FamilyInputs = {
  id: 'mev',
  domains: [sources, oracles, pools, mev],
  tables: {
    mev_swap: every(6 * HOUR).flatMap((at) => [
      swap(at, 0, 'c', true),
      swap(at, 1, 'd', true),
      swap(at, 2, 'c', false),
    ]),
  },
};

export const regimeInputs: FamilyInputs = {
  id: 'regime',
  domains: [sources, oracles, pools, anomalies, regime],
  tables: {
    feed_registry: registry,
    feed_round: rounds,
    tvl_reading: anomalyInputs.tables['tvl_reading'] ?? [],
    market_signal: each(['m1', 'm2'], every(HOUR), (market_id, observed_at, at) => ({
      chain: 'ethereum',
      protocol: 'aave',
      market_id,
      observed_at,
      supplied_usd: 1e9 + at,
      borrowed_usd: 5e8 + at,
      liquidated_usd: 1_000,
    })),
  },
};
