// The yield domain: what a deposit earns at each venue, how steady that is, and how risky.

import { YIELD_SERIES, YieldOpportunitySchema, YieldVenueSchema } from '../../../schemas/yields.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDetector } from '../../define/detector.ts';
import { defineDomain } from '../../define/domain.ts';
import { yieldsDemoSources } from '../../sources/demo/yields.ts';
import { yieldsPolicy } from './policy.ts';
import { yieldCoin, yieldPool, yieldVenue } from './raw.ts';

/**
 * The event types about yield opportunities, each detected by `event.<type>.sql` in this folder, and the policy values that each depends
 * on.
 */
const yieldDetectors = [
  defineDetector({
    type: 'risk.factor.breach',
    subject: ['risk:{opportunity_id}:*'],
    rules: {
      threshold: ['yields.breach.warn', 'yields.breach.high', 'yields.breach.critical'],
      confirmation: ['yields.breach.lookback_days'],
      units: [[/^yields\.breach\.[a-z]+$/, 'points']],
    },
  }),
];

// The published yield data: every opportunity as last observed, with the risk behind it, and the known facts about venues.

export const yieldOpportunities = defineDataset({
  id: 'yield-opportunities',
  title: 'Yield opportunities with their risk',
  table: 'out.yield_opportunity',
  key: ['id'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { columns: { opportunity_id: 'id' } },
  row: YieldOpportunitySchema,
  updateCadenceSeconds: 3_600,
  series: dailySeries({
    definition: YIELD_SERIES,
    table: 'derived.yield_day',
    key: ['opportunity_id'],
  }),
});

const yieldVenues = defineDataset({
  id: 'yield-venues',
  title: 'Age, audits and incidents of the venues of yield opportunities',
  table: 'out.yield_venue',
  key: ['venue'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { columns: { venue: 'venue' } },
  subjectsOf: ['yield_venue'],
  row: YieldVenueSchema,
  updateCadenceSeconds: 86_400,
});

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
