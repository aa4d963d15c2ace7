// The event types about anomalies, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineDetector } from '../../define/detector.ts';

export const anomalyDetectors = [
  defineDetector({
    type: 'risk.anomaly',
    subject: ['anomaly:*:{entity}:*', 'anomaly:*:{chain}:{asset_name}:*', 'anomaly:*:{chain}:*'],
    cooldown: 6 * HOUR_S,
    threshold: 'anomaly.tvl_change',
    rules: {
      threshold: [
        'anomaly.warn_z',
        'anomaly.high_z',
        'anomaly.critical_z',
        'anomaly.tvl_change',
        'anomaly.flow_of_tvl',
        'anomaly.concentration_change',
        'anomaly.whale_usd',
        'peg.bands.*.reference_fall_bps',
        'peg.assets.*.reference_fall_bps',
      ],
      confirmation: ['anomaly.baseline_days', 'anomaly.min_days'],
      units: [[/_of_tvl$/, 'fraction']],
    },
  }),
];
