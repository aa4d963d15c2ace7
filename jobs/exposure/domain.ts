// The exposure domain: what vaults hold, what backs an asset, and the graph that combines both.

import { defineDomain } from '../define/domain.ts';
import { exposureGraph } from './dataset.ts';
import { exposureDemoSources } from './demo.ts';
import { exposurePolicy } from './policy.ts';
import { assetBacking, vaultAllocation } from './raw.ts';

export const exposure = defineDomain({
  id: 'exposure',
  folder: new URL('./', import.meta.url),
  raw: [vaultAllocation, assetBacking],
  policy: [exposurePolicy],
  datasets: [exposureGraph],
  detectors: [],
  demo: exposureDemoSources,
});
