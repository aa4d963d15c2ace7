// The raw table of cross-checks: figures of other sources that ours are compared with. They are never published.
import { defineRawTable } from '../../define/raw-table.ts';

export const CHECKED_METRICS = [
  'layer2_tvl_usd',
  'market_supplied_usd',
  'market_borrowed_usd',
  'network_supply_native',
  'incident_usd',
] as const;

const MAX_TIME = 253_402_300_799;

export const crossCheck = defineRawTable({
  name: 'cross_check',
  description: 'A figure of another source that ours is compared with; never published',
  fields: [
    {
      name: 'source',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[a-z0-9][a-z0-9-]{0,63}',
      description: 'Source of the figure',
    },
    {
      name: 'metric',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: CHECKED_METRICS.join('|'),
      description:
        'What is compared: value locked in a layer-2 network, supplied to or borrowed from a market, or lost in an incident, USD; supply of a network, native units',
    },
    {
      name: 'chain',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 64,
      description:
        'Chain of the market; chain that the layer-2 network settles on; the network itself for a supply; `all` for an incident',
    },
    {
      name: 'subject',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 128,
      description:
        'Network, market or protocol, as our own tables name it; other names are kept but not compared',
    },
    { name: 'value', type: 'DOUBLE', required: true, min: 0, max: 1e15, description: 'The figure' },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 0,
      max: MAX_TIME,
      description: 'Time at which the figure held, Unix seconds',
    },
  ],
  isAboutSources: true,
  subject: ['source', 'subject'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a cross-check that is missing leaves its figure unchecked' }],
  key: ['source', 'metric', 'chain', 'subject', 'observed_at'],
  content: ['value'],
  time: 'observed_at',
  reach: 32 * 86_400,
  kept: { model: 'obs.cross_check', time: 'observed_at' },
});
