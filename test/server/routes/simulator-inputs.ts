// Published inputs of the simulator in the form in which the jobs write them: an isolated market whose collateral failed, a pooled market
// without known borrowers, a vault over both, and two pools.
import type { Json } from '../../../platform/base/json.ts';
import { AS_OF_MS, datasetOf } from '../server-fixture.ts';

const AT = AS_OF_MS / 1_000;

const market = (chain: string, market_id: string, more: { readonly [name: string]: Json }) => ({
  key: `${chain}|${market_id}`,
  value: {
    chain,
    market_id,
    protocol: null,
    name: null,
    loan_asset: null,
    loan_symbol: 'USDC',
    collateral_asset: null,
    collateral_symbol: null,
    lltv: null,
    oracle_status: 'fresh',
    supplied_usd: null,
    borrowed_usd: null,
    utilization: null,
    withdrawable_usd: null,
    depth_usd: null,
    borrow_apr_pct: 3,
    liquidation_threshold: null,
    liquidation_bonus: null,
    liquidation_protocol_fee: null,
    state_at: AT,
    feeds: [],
    ...more,
  },
});

/** 400 hours; `move` returns the return of an hour. */
const returns = (symbol: string, move: (hour: number) => number) => {
  const hours = Array.from({ length: 400 }, (_, index) => AT - (400 - index) * 3_600);
  return {
    key: symbol,
    value: {
      symbol,
      pair: `${symbol}-USD`,
      price_usd: 1,
      observed_at: AT,
      feeds: ['ethereum:0xf'],
      hours: { hour: hours, return: hours.map((_, index) => move(index)) },
    },
  };
};
const wave = (hour: number) => (hour % 7) / 1_000 - 0.003;

export const SIMULATOR_INPUTS = [
  datasetOf('lending-markets', [
    market('arbitrum', 'xusd-usdc', {
      protocol: 'morpho-blue',
      collateral_symbol: 'xUSD',
      lltv: 0.915,
      supplied_usd: 709_027.33,
      borrowed_usd: 709_027.33,
      utilization: 1,
      withdrawable_usd: 0,
    }),
    market('ethereum', 'weth-reserve', {
      protocol: 'aave-v3',
      loan_symbol: 'WETH',
      supplied_usd: 5e8,
      borrowed_usd: 4e8,
      utilization: 0.8,
      withdrawable_usd: 1e8,
      liquidation_threshold: 0.83,
      liquidation_bonus: 0.05,
      liquidation_protocol_fee: 0.1,
    }),
    market('ethereum', 'weth-usdc', {
      protocol: 'aave-v3',
      supplied_usd: 1e8,
      borrowed_usd: 9e7,
      utilization: 0.9,
      withdrawable_usd: 1e7,
      liquidation_threshold: 0.78,
      liquidation_bonus: 0.045,
      liquidation_protocol_fee: 0.1,
    }),
    // Its source reports more liquidity than there is.
    market('ethereum', 'odd-usdc', {
      supplied_usd: 10_607,
      borrowed_usd: 9_673,
      utilization: 0.912,
      withdrawable_usd: 3_440_000,
    }),
  ]),
  datasetOf('rate-models', [
    {
      key: 'arbitrum:xusd-usdc',
      value: {
        id: 'arbitrum:xusd-usdc',
        chain: 'arbitrum',
        market_id: 'xusd-usdc',
        observed_at: AT,
        kind: 'adaptive',
        base: null,
        slope1: null,
        slope2: null,
        optimal: null,
        rate_at_target: 0.6846 / 4,
        reserve_factor: 0,
      },
    },
  ]),
  datasetOf('borrower-tranches', [
    {
      key: 'arbitrum:xusd-usdc',
      value: {
        id: 'arbitrum:xusd-usdc',
        chain: 'arbitrum',
        market_id: 'xusd-usdc',
        observed_at: AT,
        tranches: [
          {
            fall_from: 0.04,
            fall_to: 0.06,
            debt_usd: 709_027.33,
            collateral_usd: (155_753.5 / 0.242) * 1.264,
          },
        ],
      },
    },
  ]),
  datasetOf('return-inputs', [
    returns('ETH', wave),
    returns('WETH', wave),
    returns('STETH', (hour) => 1.1 * wave(hour)),
    returns('USDC', (hour) => 0.1 * wave(hour)),
    returns('XUSD', () => 0),
  ]),
  datasetOf('lending-vaults', [
    {
      key: 'ethereum|0xv',
      value: {
        chain: 'ethereum',
        vault_address: '0xv',
        asset_symbol: 'USDC',
        curator: 'careful',
        name: 'Vault',
      },
    },
  ]),
  datasetOf('exposure-graph', [
    {
      key: 'vault:ethereum:0xv',
      value: {
        node: 'vault:ethereum:0xv',
        kind: 'vault',
        name: 'Vault',
        known_share: 0.9,
        edges: [
          {
            to: 'market:ethereum:weth-usdc',
            kind: 'market',
            name: null,
            usd: 8e6,
            share: 0.8,
            observed_at: AT,
            source_id: 't',
          },
          {
            to: 'asset:USDC',
            kind: 'asset',
            name: null,
            usd: 1e6,
            share: 0.1,
            observed_at: AT,
            source_id: 't',
          },
          {
            to: 'unknown',
            kind: 'unknown',
            name: null,
            usd: 1e6,
            share: 0.1,
            observed_at: AT,
            source_id: 't',
          },
        ],
      },
    },
  ]),
  datasetOf('pool-states', [
    {
      key: 'ethereum:0xstable',
      value: {
        id: 'ethereum:0xstable',
        chain: 'ethereum',
        pool: '0xstable',
        venue: 'curve',
        kind: 'stable',
        observed_at: AT,
        block_number: 1,
        fee_pips: 400,
        symbols: ['USDC', 'DAI'],
        decimals: [6, 18],
        reserves: ['4000000000000', '6000000000000000000000000'],
        amplification: 200,
        sqrt_price_x96: null,
        liquidity: null,
      },
    },
  ]),
];
