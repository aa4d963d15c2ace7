// The event types about feeds and pegs, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const oracleDetectors = [
  defineDetector({
    type: 'oracle.stale',
    threshold: 'oracle.grace_s',
  }),
  defineDetector({ type: 'oracle.classification.changed' }),
  defineDetector({ type: 'oracle.feed.invalid' }),
  defineDetector({ type: 'peg.depeg.start' }),
  defineDetector({ type: 'peg.depeg.end' }),
  defineDetector({ type: 'peg.depeg.recovered' }),
];
