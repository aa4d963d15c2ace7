-- One source's report on one protocol at one instant; figures that it does not report are null.
-- kind: append   grain: name, observed_at   time: observed_at   order: day, name, observed_at
select
  name, observed_at, observed_at - observed_at % 86400 as day,
  nullif(trim(category), '') as category,
  total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees, node_operator_fees,
  total_staked_native, total_staked_usd, strategy_count, deployed_pods,
  source_id, fetched_at
from landing.restaking_state
