// The raw table of the restaking domain: one source's report on one protocol at one instant.
import { DAY_S } from '../../../platform/base/time.ts';
import { amount, count, fraction, observedAt, text, word } from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const MAX_COUNT = 1_000_000_000;

const figures: readonly RawField[] = [
  amount('total_restaked_native', 'Total restaked, in native units', { max: 1e18 }),
  amount('total_restaked_usd', 'Total restaked, USD', { max: 1e18 }),
  count('registered_node_operators', 'Registered node operators', { max: MAX_COUNT }),
  fraction('staker_rewards', 'Share of rewards that goes to stakers'),
  fraction('protocol_fees', 'Protocol fee share'),
  fraction('node_operator_fees', 'Node operator fee share'),
  amount('total_staked_native', 'Total staked in a base protocol, in native units', { max: 1e18 }),
  amount('total_staked_usd', 'Total staked in a base protocol, USD', { max: 1e18 }),
  count('strategy_count', 'Strategies of a base protocol', { max: MAX_COUNT }),
  count('deployed_pods', 'Pods deployed by a base protocol', { max: MAX_COUNT }),
];

export const restakingState = defineRawTable({
  name: 'restaking_state',
  description: 'One source’s report on one protocol at one instant',
  fields: [
    text('protocol', 'Name as the source writes it, for example `ether.fi Stake`', {
      required: true,
      maxLength: 200,
    }),
    text('category', 'Restaking or liquid restaking, in the words of the source', { maxLength: 64 }),
    observedAt('Time at which it held'),
    ...figures,
    text('name', 'Lower case, without spaces: the value of the path', {
      required: true,
      ...word('ether.fistake', { separators: '' }),
      computed: "regexp_replace(lower(protocol), '\\s+', '', 'g')",
    }),
  ],
  subject: ['name'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['name'] }],
  key: ['name', 'observed_at'],
  content: figures.map(({ name }) => name),
  time: 'observed_at',
  reach: 8 * 86_400,
  observations: { model: 'obs.restaking_state', time: 'observed_at' },
});
