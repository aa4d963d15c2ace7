// The published market regime: each hour of the last seven days.
import { REGIME_SERIES, RegimeHourSchema } from '../../../schemas/regime.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineSeries } from '../../define/series.ts';

export const marketRegime = defineDataset({
  id: 'market-regime',
  title: 'Regime of the market, hour by hour',
  table: 'out.regime_hour',
  key: ['scope'],
  separator: '/',
  shape: 'list',
  order: 'hour desc',
  subject: { none: 'one regime for the whole market' },
  row: RegimeHourSchema,
  updateCadenceSeconds: 3_600,
  series: defineSeries({
    definition: REGIME_SERIES,
    table: 'derived.regime_hour',
    day: 'day',
    at: 'hour',
    key: ["'global'"],
  }),
});
