// The MEV domain: value extracted from users through the order of transactions in a block.

import { defineDomain } from '../define/domain.ts';
import { mevSandwiches } from './dataset.ts';
import { mevDemoSources } from './demo.ts';
import { mevDetectors } from './detectors.ts';
import { mevPolicy } from './policy.ts';
import { mevSwap } from './raw.ts';

export const mev = defineDomain({
  id: 'mev',
  folder: new URL('./', import.meta.url),
  raw: [mevSwap],
  policy: [mevPolicy],
  datasets: [mevSandwiches],
  detectors: mevDetectors,
  demo: mevDemoSources,
});
