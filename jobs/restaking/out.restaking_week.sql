-- One protocol on one of the last seven days as it is listed among all (4.14).
-- kind: full   grain: name, timestamp
select
  'all' as scope, name, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
  node_operator_fees, observed_at as timestamp
from derived.restaking_week
where is_protocol
