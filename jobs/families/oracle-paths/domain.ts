// The domain of oracle paths: what the oracle of each lending market is made of, what it assumes, and what breaks when it is wrong.

import { defineDomain } from '../../define/domain.ts';
import { oracleLeg, oraclePrice } from './raw.ts';

export const oraclePaths = defineDomain({
  id: 'oracle-paths',
  title: 'Oracle paths',
  folder: new URL('./', import.meta.url),
  raw: [oracleLeg, oraclePrice],
  policy: [],
  datasets: [],
  detectors: [],
});
