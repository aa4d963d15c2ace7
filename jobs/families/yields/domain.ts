// The yield domain: what a deposit earns at each venue, how steady that is, and how risky.

import { defineDomain } from '../../define/domain.ts';
import { yieldOpportunities, yieldVenues } from './dataset.ts';
import { yieldsDemoSources } from '../../sources/demo/yields.ts';
import { yieldDetectors } from './detectors.ts';
import { yieldsPolicy } from './policy.ts';
import { yieldCoin, yieldPool, yieldVenue } from './raw.ts';

export const yields = defineDomain({
  id: 'yields',
  title: 'Yields',
  folder: new URL('./', import.meta.url),
  raw: [yieldPool, yieldCoin, yieldVenue],
  essential: [yieldPool],
  policy: [yieldsPolicy],
  datasets: [yieldOpportunities, yieldVenues],
  detectors: yieldDetectors,
  links: [
    {
      tables: 'derived.yield_day',
      of: { chain: 'chain', market_id: 'lower(address)' },
      to: { opportunity_id: 'opportunity_id' },
    },
    {
      tables: 'derived.yield_day',
      of: { chain: 'chain', vault_address: 'lower(address)' },
      to: { opportunity_id: 'opportunity_id' },
    },
    { tables: 'derived.yield_day', of: { venue: 'venue' }, to: { opportunity_id: 'opportunity_id' } },
    { tables: 'obs.yield_coin', of: { coin_id: 'coin_id' }, to: { symbol: 'symbol' } },
    {
      tables: "derived.yield_day d cross join unnest(split(d.assets, ',')) as t(symbol)",
      of: { symbol: 't.symbol' },
      to: { opportunity_id: 'd.opportunity_id' },
    },
  ],
  demo: yieldsDemoSources,
});
