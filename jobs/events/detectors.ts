// The event types that are detected, each by the query `event.<type>.sql` beside this file, and the raw tables they rest on.
import { defineDetector } from '../define.ts';

const rests_on = ['feed_registry', 'feed_round'];
const VAULT = ['vault_log', 'lending_vault'];
const LIQUIDITY = ['market_state', 'lending_market', 'market_oracle', ...rests_on];

export const detectors = [
  defineDetector({
    type: 'oracle.stale',
    threshold: 'oracle.grace_s',
    rests_on: [...rests_on, 'market_oracle'],
  }),
  defineDetector({ type: 'oracle.classification.changed', rests_on }),
  defineDetector({ type: 'oracle.feed.invalid', rests_on }),
  defineDetector({ type: 'peg.depeg.start', rests_on }),
  defineDetector({ type: 'peg.depeg.end', rests_on }),
  defineDetector({ type: 'peg.depeg.recovered', rests_on }),
  defineDetector({ type: 'vault.cap.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.fee.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.curator.changed', rests_on: VAULT }),
  defineDetector({ type: 'vault.allocation.changed', rests_on: VAULT }),
  defineDetector({ type: 'curator.action', rests_on: VAULT }),
  defineDetector({ type: 'curator.tenure.start', rests_on: VAULT }),
  defineDetector({ type: 'curator.tenure.end', rests_on: VAULT }),
  defineDetector({ type: 'liquidity.utilization.spike', rests_on: LIQUIDITY }),
  defineDetector({ type: 'liquidity.depth.collapse', rests_on: LIQUIDITY }),
  defineDetector({
    type: 'risk.factor.breach',
    rests_on: ['yield_pool', 'yield_coin', 'yield_venue', 'feed_registry', 'feed_round'],
  }),
  defineDetector({
    type: 'risk.anomaly',
    threshold: 'anomaly.tvl_change',
    rests_on: ['tvl_reading', 'capital_flow', 'holder_concentration', 'whale_transfer'],
  }),
  defineDetector({ type: 'mev.spike', threshold: 'anomaly.warn_z', rests_on: ['mev_block'] }),
  defineDetector({ type: 'mev.sandwich.large', threshold: 'mev.sandwich_large_usd', rests_on: ['mev_swap'] }),
  defineDetector({
    type: 'regime.shift',
    threshold: 'regime.min_confidence',
    rests_on: [...rests_on, 'tvl_reading', 'market_signal'],
  }),
];
