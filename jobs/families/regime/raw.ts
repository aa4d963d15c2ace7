// The raw table of the regime domain: reported utilisation and liquidations of lending markets.
import { HOUR_S } from '../../../platform/base/time.ts';
import { id, observedAt, text, usd, word } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const NAME = word('aave-v3', { longest: 200 });

export const marketSignal = defineRawTable({
  name: 'market_signal',
  description:
    'Utilisation of one lending market at one instant, and the amount liquidated since the previous report',
  fields: [
    id('chain', 'Chain name', { required: true, ...NAME }),
    id('protocol', 'Protocol', { required: true, ...NAME }),
    id('market_id', 'Market', { required: true, ...NAME }),
    observedAt('Time at which it held'),
    usd('supplied_usd', 'Supplied', { required: true }),
    usd('borrowed_usd', 'Borrowed; kept even if above the supply', { required: true }),
    usd('liquidated_usd', 'Liquidated since the previous report; absent if not reported'),
    text('entity', 'Chain, protocol and market', {
      required: true,
      computed: "lower(chain) || '|' || lower(protocol) || '|' || lower(market_id)",
    }),
  ],
  subject: ['entity'],
  maxAgeSeconds: 3 * HOUR_S,
  completeness: [{ by: 'cadence', series: ['entity'] }],
  key: ['entity', 'observed_at'],
  content: ['supplied_usd', 'borrowed_usd', 'liquidated_usd'],
  time: 'observed_at',
  observations: { model: 'obs.market_signal', time: 'observed_at' },
});
