// The anomaly domain: compares figures with their own past by robust statistics.

import { defineDomain } from '../../define/domain.ts';
import { anomalyWatch } from './dataset.ts';
import { anomalyDemoSources } from '../../sources/demo/anomalies.ts';
import { anomalyDetectors } from './detectors.ts';
import { anomalyPolicy } from './policy.ts';
import { capitalFlow, holderConcentration, mevBlock, tvlReading, whaleTransfer } from './raw.ts';

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
