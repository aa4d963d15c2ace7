// The layer-2 domain: daily figures of networks that settle on another chain, and facts about how they work.

import { defineDomain } from '../../define/domain.ts';
import { layer2Registry, layer2Statistics } from './dataset.ts';
import { layer2DemoSources } from '../../sources/demo/layer2.ts';
import { layer2Policy } from './policy.ts';
import { layer2Metric } from './raw.ts';

export const layer2 = defineDomain({
  id: 'layer2',
  title: 'Layer 2',
  folder: new URL('./', import.meta.url),
  raw: [layer2Metric],
  policy: [layer2Policy],
  datasets: [layer2Statistics, layer2Registry],
  detectors: [],
  demo: layer2DemoSources,
});
