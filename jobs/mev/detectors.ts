// The event types about extraction, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const mevDetectors = [
  defineDetector({ type: 'mev.spike', threshold: 'anomaly.warn_z', rests_on: ['mev_block'] }),
  defineDetector({ type: 'mev.sandwich.large', threshold: 'mev.sandwich_large_usd', rests_on: ['mev_swap'] }),
];
