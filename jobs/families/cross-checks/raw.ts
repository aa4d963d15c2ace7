// The raw table of cross-checks: figures of other sources that ours are compared with. They are never published.
import { amount, choice, id, LAST_INSTANT, observedAt, slug } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

export const CHECKED_METRICS = [
  'layer2_tvl_usd',
  'market_supplied_usd',
  'market_borrowed_usd',
  'network_supply_native',
  'incident_usd',
] as const;

export const crossCheck = defineRawTable({
  name: 'cross_check',
  description: 'A figure of another source that ours is compared with; never published',
  fields: [
    id('source', 'Source of the figure', { required: true, ...slug('coingecko', '-', 64) }),
    choice(
      'metric',
      CHECKED_METRICS,
      'What is compared: value locked in a layer-2 network, supplied to or borrowed from a market, or lost in an incident, USD; supply of a network, native units',
      { required: true },
    ),
    id(
      'chain',
      'Chain of the market; chain that the layer-2 network settles on; the network itself for a supply; `all` for an incident',
      { required: true, maxLength: 64 },
    ),
    id(
      'subject',
      'Network, market or protocol, as our own tables name it; other names are kept but not compared',
      { required: true, maxLength: 128 },
    ),
    amount('value', 'The figure', { required: true, max: 1e15 }),
    observedAt('Time at which the figure held', { min: 0, max: LAST_INSTANT }),
  ],
  isAboutSources: true,
  subject: ['source', 'subject'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a cross-check that is missing leaves its figure unchecked' }],
  key: ['source', 'metric', 'chain', 'subject', 'observed_at'],
  content: ['value'],
  time: 'observed_at',
  reach: 32 * 86_400,
  observations: { model: 'obs.cross_check', time: 'observed_at' },
});
