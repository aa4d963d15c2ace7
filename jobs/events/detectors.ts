// The event types that are detected, each by the query `event.<type>.sql` beside this file, and the raw tables they rest on.
import { defineDetector } from '../define.ts';

const rests_on = ['feed_registry', 'feed_round'];

export const detectors = [
  defineDetector({ type: 'oracle.stale', rests_on }),
  defineDetector({ type: 'oracle.classification.changed', rests_on }),
  defineDetector({ type: 'oracle.feed.invalid', rests_on }),
  defineDetector({ type: 'peg.depeg.start', rests_on }),
  defineDetector({ type: 'peg.depeg.end', rests_on }),
  defineDetector({ type: 'peg.depeg.recovered', rests_on }),
  defineDetector({
    type: 'risk.factor.breach',
    rests_on: ['yield_pool', 'yield_coin', 'yield_venue', 'feed_registry', 'feed_round'],
  }),
  defineDetector({
    type: 'risk.anomaly',
    rests_on: ['tvl_reading', 'capital_flow', 'holder_concentration', 'whale_transfer'],
  }),
  defineDetector({ type: 'mev.spike', rests_on: ['mev_block'] }),
  defineDetector({ type: 'mev.sandwich.large', rests_on: ['mev_swap'] }),
  defineDetector({ type: 'regime.shift', rests_on: [...rests_on, 'tvl_reading', 'market_signal'] }),
];
