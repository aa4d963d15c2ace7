// The published yield data: every opportunity as last observed, with the risk behind it.
import { YieldOpportunitySchema } from '../../schemas/yields.ts';
import { YIELD_SERIES } from '../../schemas/series-catalogue.ts';
import { defineDataset } from '../define/dataset.ts';
import { dailySeries } from '../define/series.ts';

export const yieldOpportunities = defineDataset({
  id: 'yield-opportunities',
  title: 'Yield opportunities with their risk',
  table: 'out.yield_opportunity',
  key: ['id'],
  separator: '/',
  shape: 'one',
  order: '',
  subject: { opportunity_id: 'id' },
  row: YieldOpportunitySchema,
  updateCadenceSeconds: 3_600,
  series: dailySeries({
    definition: YIELD_SERIES,
    table: 'derived.yield_day',
    key: ['opportunity_id'],
  }),
});
