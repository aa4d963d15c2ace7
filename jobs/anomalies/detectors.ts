// The event types about anomalies, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const anomalyDetectors = [
  defineDetector({
    type: 'risk.anomaly',
    threshold: 'anomaly.tvl_change',
    rests_on: ['tvl_reading', 'capital_flow', 'holder_concentration', 'whale_transfer'],
  }),
];
