-- One protocol on one UTC day: the last reported value of each figure on that day, and the time of the last report. A day without a
-- reported figure has no row.
-- kind: window   grain: name, day   time: day   order: day, name
with figure as (
  select
    name, day, observed_at, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards,
    protocol_fees, node_operator_fees, total_staked_native, total_staked_usd, strategy_count, deployed_pods
  from obs.restaking_state
  where observed_at >= @start and observed_at < @end
    and coalesce(
      total_restaked_native, total_restaked_usd, cast(registered_node_operators as double), staker_rewards, protocol_fees,
      node_operator_fees, total_staked_native, total_staked_usd, cast(strategy_count as double), cast(deployed_pods as double)
    ) is not null
)
select
  name, day,
  max(observed_at) as observed_at,
  max_by(total_restaked_native, case when total_restaked_native is not null then observed_at end) as total_restaked_native,
  max_by(total_restaked_usd, case when total_restaked_usd is not null then observed_at end) as total_restaked_usd,
  max(case when total_restaked_usd is not null then observed_at end) as restaked_usd_at,
  max_by(registered_node_operators, case when registered_node_operators is not null then observed_at end)
    as registered_node_operators,
  max_by(staker_rewards, case when staker_rewards is not null then observed_at end) as staker_rewards,
  max_by(protocol_fees, case when protocol_fees is not null then observed_at end) as protocol_fees,
  max_by(node_operator_fees, case when node_operator_fees is not null then observed_at end) as node_operator_fees,
  max_by(total_staked_native, case when total_staked_native is not null then observed_at end) as total_staked_native,
  max_by(total_staked_usd, case when total_staked_usd is not null then observed_at end) as total_staked_usd,
  max(case when total_staked_usd is not null then observed_at end) as staked_usd_at,
  max_by(strategy_count, case when strategy_count is not null then observed_at end) as strategy_count,
  max_by(deployed_pods, case when deployed_pods is not null then observed_at end) as deployed_pods
from figure
group by name, day
