// The exposure domain: what vaults hold, what backs an asset, and the graph that combines both.

import { defineDomain } from '../../define/domain.ts';
import { exposureGraph } from './dataset.ts';
import { exposureDemoSources } from '../../sources/demo/exposure.ts';
import { exposurePolicy } from './policy.ts';
import { assetBacking, vaultAllocation } from './raw.ts';

export const exposure = defineDomain({
  id: 'exposure',
  title: 'Exposure',
  folder: new URL('./', import.meta.url),
  raw: [vaultAllocation, assetBacking],
  policy: [exposurePolicy],
  datasets: [exposureGraph],
  detectors: [],
  links: [
    {
      tables: "derived.exposure_holder where kind = 'market'",
      of: { chain: "split_part(node, ':', 2)", market_id: "split_part(node, ':', 3)" },
      to: { node: 'node' },
    },
    {
      tables: "derived.exposure_holder where kind = 'vault'",
      of: { chain: "split_part(node, ':', 2)", vault_address: "split_part(node, ':', 3)" },
      to: { node: 'node' },
    },
  ],
  demo: exposureDemoSources,
});
