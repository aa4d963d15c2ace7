// The event types about yield opportunities, each detected by `event.<type>.sql` in this folder, and the policy values that each
// depends on.
import { defineDetector } from '../../define/detector.ts';

export const yieldDetectors = [
  defineDetector({
    type: 'risk.factor.breach',
    subject: ['risk:{opportunity_id}:*'],
    rules: {
      threshold: ['yields.breach.warn', 'yields.breach.high', 'yields.breach.critical'],
      confirmation: ['yields.breach.lookback_days'],
      units: [[/^yields\.breach\.[a-z]+$/, 'points']],
    },
  }),
];
