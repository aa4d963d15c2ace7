// The lending part of the policy as tables: limits, overrides of single markets, and seconds until a block of a chain is final.
import { definePolicyTable } from '../define.ts';

export const lendingPolicy = definePolicyTable({
  name: 'lending_policy',
  columns: [
    { name: 'spike_at', type: 'DOUBLE' },
    { name: 'rearm_below', type: 'DOUBLE' },
    { name: 'collapse_at', type: 'DOUBLE' },
    { name: 'collapse_rearm_above', type: 'DOUBLE' },
    { name: 'min_median_usd', type: 'DOUBLE' },
    { name: 'min_observations', type: 'BIGINT' },
    { name: 'withdrawable_below', type: 'DOUBLE' },
    { name: 'withdrawable_rearm_from', type: 'DOUBLE' },
    { name: 'confirm_observations', type: 'BIGINT' },
    { name: 'state_max_age_s', type: 'BIGINT' },
    { name: 'oracle_spread_bps', type: 'DOUBLE' },
    { name: 'finality_s', type: 'BIGINT' },
  ],
  rows: ({ lending: { utilization, depth, default_finality, ...rest } }) => [
    [
      utilization.spike_at,
      utilization.rearm_below,
      depth.collapse_at,
      depth.rearm_above,
      depth.min_median_usd,
      depth.min_observations,
      depth.withdrawable_below,
      depth.withdrawable_rearm_from,
      rest.confirm_observations,
      rest.state_max_age_s,
      rest.oracle_spread_bps,
      secondsOf(default_finality),
    ],
  ],
});

export const lendingMarketPolicy = definePolicyTable({
  name: 'lending_market_policy',
  columns: [
    { name: 'chain', type: 'VARCHAR' },
    { name: 'market_id', type: 'VARCHAR' },
    { name: 'spike_at', type: 'DOUBLE' },
    { name: 'rearm_below', type: 'DOUBLE' },
  ],
  rows: ({ lending: { utilization, markets } }) =>
    markets.map(({ chain, market_id, spike_at, rearm_below }) => [
      chain,
      market_id,
      spike_at ?? utilization.spike_at,
      rearm_below ?? utilization.rearm_below,
    ]),
});

export const chainFinality = definePolicyTable({
  name: 'chain_finality',
  columns: [
    { name: 'chain', type: 'VARCHAR' },
    { name: 'finality_s', type: 'BIGINT' },
  ],
  rows: ({ lending }) => lending.finality.map((one) => [one.chain, secondsOf(one)]),
});

const secondsOf = ({ depth_blocks, block_s }: { depth_blocks: number; block_s: number }): number =>
  Math.ceil(depth_blocks * block_s);
