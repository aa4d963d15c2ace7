// The event types about anomalies, each found by the query `event.<type>.sql` of this folder.
import { defineDetector } from '../define.ts';

export const anomalyDetectors = [
  defineDetector({
    type: 'risk.anomaly',
    threshold: 'anomaly.tvl_change',
  }),
];
