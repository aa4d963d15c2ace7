// Restaking protocols and their base protocols, as published (2.10, 2.11, 4.13-4.15). Values that no source reports are null, never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

const Amount = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Count = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));
const Share = (description: string) =>
  Nullable(Type.Number({ minimum: 0, maximum: 1, description: `${description}, as a fraction` }));

const name = Type.String({
  description: 'Protocol name in lower case, without spaces: the value of the path',
});
const timestamp = UnixSeconds('Time of the latest observation of the day, Unix seconds');
const restaked = {
  total_restaked_native: Amount(
    'Total restaked, in native units: as reported, else the USD figure converted by our own feeds at its time',
  ),
  total_restaked_usd: Amount('Total restaked, USD'),
};

export const RestakingProtocolSchema = Strict({
  name,
  ...restaked,
  registered_node_operators: Count('Registered node operators'),
  staker_rewards: Share('Share of rewards that goes to stakers'),
  protocol_fees: Share('Protocol fee share'),
  node_operator_fees: Share('Node operator fee share'),
  timestamp,
});
export type RestakingProtocol = Static<typeof RestakingProtocolSchema>;

export const BaseRestakingSchema = Strict({
  name,
  ...restaked,
  total_staked_native: Amount(
    'Total staked, in native units: as reported, else the USD figure converted by our own feeds at its time',
  ),
  total_staked_usd: Amount('Total staked, USD'),
  strategy_count: Count('Strategies'),
  deployed_pods: Count('Deployed pods'),
  timestamp,
});
export type BaseRestaking = Static<typeof BaseRestakingSchema>;
