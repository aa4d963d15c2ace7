// The coverage domain: what the service has and lacks, across all other domains.

import { defineDomain } from '../define/domain.ts';
import { coverageHistory, coverageRows, manifestSummary } from './dataset.ts';

export const coverage = defineDomain({
  id: 'coverage',
  folder: new URL('./', import.meta.url),
  isFirstLook: true,
  raw: [],
  policy: [],
  datasets: [coverageRows, manifestSummary, coverageHistory],
  detectors: [],
});
