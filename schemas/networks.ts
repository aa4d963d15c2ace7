// Networks as a list: the kind of each, and the figures of its last complete day.
import { Nullable, type Static, Strict, Type } from './define.ts';

export const NETWORK_KINDS = ['smart_contract', 'sharded', 'layer2'] as const;

const count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));
const figure = (description: string) => Nullable(Type.Number({ minimum: 0, description }));

export const NetworkSchema = Strict({
  network: Type.String({ description: 'Name in paths' }),
  kind: Type.Enum([...NETWORK_KINDS], { description: 'Kind of the network, which decides its figures' }),
  dataset: Type.String({ description: 'Dataset with its history' }),
  day: Nullable(
    Type.String({
      format: 'date',
      description: 'Last complete UTC day with a record, to which the figures belong; null without one',
    }),
  ),
  first_day: Nullable(Type.String({ format: 'date', description: 'First day on record' })),
  days: Type.Integer({ minimum: 0, description: 'Complete days on record' }),
  blocks: count('Blocks'),
  block_time_s: figure('Mean time between blocks, seconds'),
  transactions: count('Transactions'),
  validators: count('Validators'),
  total_stake_native: figure('Staked, native units'),
  total_supply_native: figure('Supply, native units'),
  fees_native: figure('Fees, native units'),
  fees_usd: figure('Fees, USD'),
  tvl_usd: figure('Value locked, USD'),
  missing: Type.Array(Type.String(), {
    description: 'Figures of its kind that no source delivered for that day',
  }),
});
export type Network = Static<typeof NetworkSchema>;
