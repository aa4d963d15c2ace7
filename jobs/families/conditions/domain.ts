// The conditions domain: what is wrong now, across all other domains.

import { defineDomain } from '../../define/domain.ts';
import { conditionList } from './dataset.ts';

export const conditions = defineDomain({
  id: 'conditions',
  title: 'Conditions',
  folder: new URL('./', import.meta.url),
  raw: [],
  policy: [],
  datasets: [conditionList],
  detectors: [],
});
