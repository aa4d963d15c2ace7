// The restaking domain: how much is restaked in each protocol, its operators, and how rewards are shared.

import { defineDomain } from '../define/domain.ts';
import { baseRestakingWeek, restakingLatest, restakingWeek } from './dataset.ts';
import { restakingDemoSources } from './demo.ts';
import { restakingPolicy } from './policy.ts';
import { restakingState } from './raw.ts';

export const restaking = defineDomain({
  id: 'restaking',
  folder: new URL('./', import.meta.url),
  raw: [restakingState],
  policy: [restakingPolicy],
  datasets: [restakingWeek, restakingLatest, baseRestakingWeek],
  detectors: [],
  demo: restakingDemoSources,
});
