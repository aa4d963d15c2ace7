// The event types about feeds and pegs, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

const rests_on = ['feed_registry', 'feed_round'];

export const oracleDetectors = [
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
];
