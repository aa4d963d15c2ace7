// The cross-checks domain: our figures against those of other sources. It publishes nothing; gates warn where the two differ.

import { defineDomain } from '../../define/domain.ts';
import { crossCheckPolicy } from './policy.ts';
import { crossCheck } from './raw.ts';

export const crossChecks = defineDomain({
  id: 'cross-checks',
  title: 'Cross-checks',
  folder: new URL('./', import.meta.url),
  raw: [crossCheck],
  policy: [crossCheckPolicy],
  datasets: [],
  detectors: [],
});
