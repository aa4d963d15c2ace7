// The yield domain: what a deposit earns at each venue, how steady that is, and how risky.

import { defineDomain } from '../define/domain.ts';
import { yieldOpportunities, yieldVenues } from './dataset.ts';
import { yieldsDemoSources } from './demo.ts';
import { yieldDetectors } from './detectors.ts';
import { yieldsPolicy } from './policy.ts';
import { yieldCoin, yieldPool, yieldVenue } from './raw.ts';

export const yields = defineDomain({
  id: 'yields',
  folder: new URL('./', import.meta.url),
  raw: [yieldPool, yieldCoin, yieldVenue],
  policy: [yieldsPolicy],
  datasets: [yieldOpportunities, yieldVenues],
  detectors: yieldDetectors,
  demo: yieldsDemoSources,
});
