// The restaking domain: how much is restaked in each protocol, its operators, and how rewards are shared.

import { defineDomain } from '../../define/domain.ts';
import { baseRestakingWeek, restakingLatest, restakingWeek } from './dataset.ts';
import { restakingDemoSources } from '../../sources/demo/restaking.ts';
import { restakingPolicy } from './policy.ts';
import { restakingState } from './raw.ts';

export const restaking = defineDomain({
  id: 'restaking',
  title: 'Restaking',
  folder: new URL('./', import.meta.url),
  raw: [restakingState],
  policy: [restakingPolicy],
  datasets: [restakingWeek, restakingLatest, baseRestakingWeek],
  detectors: [],
  links: [
    {
      tables: 'derived.pair_feed f join derived.restaking_price p on p.pair = f.pair',
      of: { chain: 'f.chain', feed_address: 'f.feed_address' },
      to: { name: 'p.name' },
    },
  ],
  demo: restakingDemoSources,
});
