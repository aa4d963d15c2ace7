// The event types about the market regime, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const regimeDetectors = [
  defineDetector({
    type: 'regime.shift',
    threshold: 'regime.min_confidence',
  }),
];
