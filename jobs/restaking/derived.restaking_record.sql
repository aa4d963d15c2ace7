-- One protocol on one UTC day, money in cents and native units in millionths, and whether anything is known of it that a protocol's record
-- or a base protocol's record tells.
-- kind: window   grain: name, day   time: day   order: day, name
select
  name, day, observed_at,
  coalesce(
    total_restaked_native, total_restaked_usd, cast(registered_node_operators as double), staker_rewards, protocol_fees,
    node_operator_fees
  ) is not null as is_protocol,
  coalesce(
    total_restaked_native, total_restaked_usd, total_staked_native, total_staked_usd, cast(strategy_count as double),
    cast(deployed_pods as double)
  ) is not null as is_base,
  round(total_restaked_native, 6) as total_restaked_native,
  round(total_restaked_usd, 2) as total_restaked_usd,
  registered_node_operators, staker_rewards, protocol_fees, node_operator_fees,
  round(total_staked_native, 6) as total_staked_native,
  round(total_staked_usd, 2) as total_staked_usd,
  strategy_count, deployed_pods
from derived.restaking_day
where day >= @start and day < @end
