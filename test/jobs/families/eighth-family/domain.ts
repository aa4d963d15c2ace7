// The made-up eighth family: bridges between networks. It proves that a family is one folder, one schema file, one route file and a line
// in each of three registries.
import { defineDomain } from '../../../../jobs/define/domain.ts';
import { bridgeTotals, bridgeWeek } from './dataset.ts';
import { bridgeDemoSources } from './demo.ts';
import { bridgeDetectors } from './detectors.ts';
import { bridgePolicy } from './policy.ts';
import { bridgeTransfer } from './raw.ts';

export const bridges = defineDomain({
  id: 'eighth-family',
  title: 'Bridges',
  folder: new URL('./', import.meta.url),
  raw: [bridgeTransfer],
  policy: [bridgePolicy],
  datasets: [bridgeWeek, bridgeTotals],
  detectors: bridgeDetectors,
  demo: bridgeDemoSources,
});
