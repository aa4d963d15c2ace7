// The networks domain: one list of all networks, of the first layer and of the second.

import { defineDomain } from '../../define/domain.ts';
import { networkList } from './dataset.ts';

export const networks = defineDomain({
  id: 'networks',
  title: 'Networks',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  datasets: [networkList],
  detectors: [],
});
