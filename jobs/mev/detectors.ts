// The event types about extraction, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const mevDetectors = [
  defineDetector({ type: 'mev.spike', threshold: 'anomaly.warn_z' }),
  defineDetector({ type: 'mev.sandwich.large', threshold: 'mev.sandwich_large_usd' }),
];
