// The raw table of the regime domain: reported utilisation and liquidations of lending markets.
import { HOUR_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const name = (field: string, description: string, required = true): RawField => ({
  name: field,
  type: 'VARCHAR',
  required,
  lowercase: true,
  pattern: '[^|\\s]{1,200}',
  description,
});
const usd = (field: string, description: string, required: boolean): RawField => ({
  name: field,
  type: 'DOUBLE',
  required,
  min: 0,
  max: 1e15,
  description: `${description}, USD`,
});

export const marketSignal = defineRawTable({
  name: 'market_signal',
  description:
    'Utilisation of one lending market at one instant, and the amount liquidated since the previous report',
  fields: [
    name('chain', 'Chain name'),
    name('protocol', 'Protocol'),
    name('market_id', 'Market'),
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'Time at which it held, Unix seconds',
    },
    usd('supplied_usd', 'Supplied', true),
    usd('borrowed_usd', 'Borrowed; kept even if above the supply', true),
    usd('liquidated_usd', 'Liquidated since the previous report; absent if not reported', false),
    {
      name: 'entity',
      type: 'VARCHAR',
      required: true,
      computed: "lower(chain) || '|' || lower(protocol) || '|' || lower(market_id)",
      description: 'Chain, protocol and market',
    },
  ],
  subject: ['entity'],
  maxAgeSeconds: 3 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['supplied_usd', 'borrowed_usd', 'liquidated_usd'],
  time: 'observed_at',
  kept: { model: 'obs.market_signal', time: 'observed_at' },
});
