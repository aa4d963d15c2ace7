// The made-up eighth family: bridges between networks. It proves that a family is a folder, a line of the registry and one of the endpoints.

import { defineDomain } from '../../../jobs/define/domain.ts';
import { bridgeWeek } from './dataset.ts';
import { bridgeTransfer } from './raw.ts';

export const bridges = defineDomain({
  id: 'eighth-family',
  folder: new URL('./', import.meta.url),
  raw: [bridgeTransfer],
  policy: [],
  datasets: [bridgeWeek],
  detectors: [],
});
