// The anomaly domain: compares figures with their own past by robust statistics.

import { HOUR_S } from '../../../platform/base/time.ts';
import { AnomalyWatchSchema } from '../../../schemas/anomalies.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import { anomalyDemoSources } from '../../sources/demo/anomalies.ts';
import { anomalyPolicy } from './policy.ts';
import { capitalFlow, holderConcentration, mevBlock, tvlReading, whaleTransfer } from './raw.ts';

/** The event types about anomalies, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on. */
const anomalyDetectors = [
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

/** The published anomaly watch: every figure with its verdict, or the reason why there is none. */
const anomalyWatch = defineDataset({
  id: 'anomaly-watch',
  title: 'Figures watched for anomalies',
  table: 'out.anomaly_watch',
  key: ['metric'],
  separator: '/',
  shape: 'list',
  order: 'entity',
  subject: { columns: { entity: 'entity', chain: 'chain' } },
  row: AnomalyWatchSchema,
  updateCadenceSeconds: 300,
});

export const anomalies = defineDomain({
  id: 'anomalies',
  title: 'Anomalies',
  folder: new URL('./', import.meta.url),
  raw: [tvlReading, capitalFlow, holderConcentration, whaleTransfer, mevBlock],
  policy: [anomalyPolicy],
  datasets: [anomalyWatch],
  detectors: anomalyDetectors,
  demo: anomalyDemoSources,
});
