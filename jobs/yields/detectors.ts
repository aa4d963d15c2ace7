// The event types about yield opportunities, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const yieldDetectors = [
  defineDetector({
    type: 'risk.factor.breach',
  }),
];
