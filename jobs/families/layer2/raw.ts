// The raw table of the layer-2 domain: daily figures of networks, one per row, however a source names or groups them.
import { DAY_S } from '../../../platform/base/time.ts';
import { amount, form, id, instant, integer, LAST_INSTANT } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

export const layer2Metric = defineRawTable({
  name: 'layer2_metric',
  description: 'One figure of one network for one UTC day',
  fields: [
    id('network', 'Network name', { required: true, maxLength: 64 }),
    id(
      'metric',
      'tx_count (transactions), tvl_usd, fees_usd, avg_block_time_s; others are kept but not used',
      {
        required: true,
        ...form('[a-z0-9_]{1,64}', 'at most 64 lower-case letters, digits and `_`', 'tvl_usd'),
      },
    ),
    instant('day_at', 'Any instant of the UTC day', { required: true, min: 86_400, max: LAST_INSTANT }),
    instant(
      'measured_at',
      'Time at which the figure was taken, Unix seconds; absent if after the end of the day',
      { min: 86_400 },
    ),
    amount('value', 'The figure, in the unit of its metric', { required: true, max: 1e18 }),
    integer('day', '00:00 UTC of the day, Unix seconds', {
      required: true,
      computed: 'day_at - day_at % 86400',
    }),
    integer(
      'known_at',
      'Time from which the figure is known, Unix seconds; without measured_at, the last second of the day',
      { required: true, computed: 'coalesce(measured_at, cast(day_at as hugeint) - day_at % 86400 + 86399)' },
    ),
  ],
  subject: ['network'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['network', 'metric'] }],
  key: ['network', 'metric', 'day', 'known_at'],
  content: ['value'],
  time: 'known_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.layer2_metric', time: 'known_at' },
});
