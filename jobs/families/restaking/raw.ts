// The raw table of the restaking domain: one source's report on one protocol at one instant.
import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const amount = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1e18,
  description,
});
const count = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  min: 0,
  max: 1_000_000_000,
  description,
});
const share = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1,
  description: `${description}, as a fraction`,
});

const figures: readonly RawField[] = [
  amount('total_restaked_native', 'Total restaked, in native units'),
  amount('total_restaked_usd', 'Total restaked, USD'),
  count('registered_node_operators', 'Registered node operators'),
  share('staker_rewards', 'Share of rewards that goes to stakers'),
  share('protocol_fees', 'Protocol fee share'),
  share('node_operator_fees', 'Node operator fee share'),
  amount('total_staked_native', 'Total staked in a base protocol, in native units'),
  amount('total_staked_usd', 'Total staked in a base protocol, USD'),
  count('strategy_count', 'Strategies of a base protocol'),
  count('deployed_pods', 'Pods deployed by a base protocol'),
];

export const restakingState = defineRawTable({
  name: 'restaking_state',
  description: 'One source’s report on one protocol at one instant',
  fields: [
    {
      name: 'protocol',
      type: 'VARCHAR',
      required: true,
      maxLength: 200,
      description: 'Name as the source writes it, for example `ether.fi Stake`',
    },
    {
      name: 'category',
      type: 'VARCHAR',
      maxLength: 64,
      description: 'Restaking or liquid restaking, in the words of the source',
    },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'Time at which it held, Unix seconds',
    },
    ...figures,
    {
      name: 'name',
      type: 'VARCHAR',
      required: true,
      pattern: '[^\\s]+',
      computed: "regexp_replace(lower(protocol), '\\s+', '', 'g')",
      description: 'Lower case, without spaces: the value of the path',
    },
  ],
  subject: ['name'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['name'] }],
  key: ['name', 'observed_at'],
  content: figures.map(({ name }) => name),
  time: 'observed_at',
  reach: 8 * 86_400,
  kept: { model: 'obs.restaking_state', time: 'observed_at' },
});
