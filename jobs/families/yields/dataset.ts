// The published yield data: every opportunity as last observed, with the risk behind it, and the known facts about venues.

import { YIELD_SERIES, YieldOpportunitySchema, YieldVenueSchema } from '../../../schemas/yields.ts';
import { defineDataset } from '../../define/dataset.ts';
import { dailySeries } from '../../define/series.ts';

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

export const yieldVenues = defineDataset({
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
