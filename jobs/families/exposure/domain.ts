// The exposure domain: what vaults hold, what backs an asset, and the graph that combines both.

import { ExposureNodeSchema } from '../../../schemas/exposure.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { exposureDemoSources } from '../../sources/demo/exposure.ts';
import { exposurePolicy } from './policy.ts';
import { assetBacking, vaultAllocation } from './raw.ts';

/** The published exposure graph: vaults, markets and assets, and what they hold. */
export const exposureGraph = defineDataset({
  id: 'exposure-graph',
  title: 'Holdings of vaults, markets and assets, by share of their value',
  table: 'out.exposure_node',
  key: ['node'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { node: 'node' } },
  subjectsOf: ['vault_allocation', 'asset_backing'],
  row: ExposureNodeSchema,
  updateCadenceSeconds: 21_600,
});

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
