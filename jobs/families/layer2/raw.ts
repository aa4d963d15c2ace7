// The raw table of the layer-2 domain: daily figures of networks, one per row, however a source names or groups them.
import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable } from '../../define/raw-table.ts';

export const layer2Metric = defineRawTable({
  name: 'layer2_metric',
  description: 'One figure of one network for one UTC day',
  fields: [
    {
      name: 'network',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description: 'Network name',
    },
    {
      name: 'metric',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[a-z0-9_]{1,64}',
      description:
        'tx_count (transactions), tvl_usd, fees_usd, avg_block_time_s; others are kept but not used',
    },
    {
      name: 'day_at',
      type: 'BIGINT',
      required: true,
      min: 86_400,
      max: 253_402_300_799,
      description: 'Any instant of the UTC day, Unix seconds',
    },
    {
      name: 'measured_at',
      type: 'BIGINT',
      min: 86_400,
      description: 'Time at which the figure was taken, Unix seconds; absent if after the end of the day',
    },
    {
      name: 'value',
      type: 'DOUBLE',
      required: true,
      min: 0,
      max: 1e18,
      description: 'The figure, in the unit of its metric',
    },
    {
      name: 'day',
      type: 'BIGINT',
      required: true,
      computed: 'day_at - day_at % 86400',
      description: '00:00 UTC of the day, Unix seconds',
    },
    {
      name: 'known_at',
      type: 'BIGINT',
      required: true,
      computed: 'coalesce(measured_at, cast(day_at as hugeint) - day_at % 86400 + 86399)',
      description:
        'Time from which the figure is known, Unix seconds; without measured_at, the last second of the day',
    },
  ],
  subject: ['network'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['network', 'metric'] }],
  key: ['network', 'metric', 'day', 'known_at'],
  content: ['value'],
  time: 'known_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.layer2_metric', time: 'known_at' },
});
