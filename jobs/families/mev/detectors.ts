// The event types about extraction, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineDetector } from '../../define/detector.ts';

export const mevDetectors = [
  defineDetector({
    type: 'mev.spike',
    subject: ['anomaly:mev_spike:{chain}:*', 'anomaly:mev_spike:{entity}:*'],
    cooldown: 6 * HOUR_S,
    threshold: 'anomaly.warn_z',
    rules: {
      threshold: ['anomaly.warn_z', 'anomaly.high_z', 'anomaly.critical_z', 'anomaly.mev_hour_usd'],
      confirmation: ['anomaly.baseline_days', 'anomaly.min_days'],
    },
  }),
  defineDetector({
    type: 'mev.sandwich.large',
    subject: ['pool:{chain}:{pool_id}'],
    cooldown: HOUR_S,
    threshold: 'mev.sandwich_large_usd',
    rules: {
      threshold: ['mev.sandwich_large_usd'],
      confirmation: ['mev.leg_tolerance'],
      units: [[/^mev\.leg_tolerance$/, 'fraction']],
    },
  }),
];
