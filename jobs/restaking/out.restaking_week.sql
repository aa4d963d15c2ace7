-- One protocol on one of the last seven days as it is listed among all (4.14).
-- kind: full   grain: name, day
select
  'all' as scope, name, day, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
  node_operator_fees, observed_at as timestamp
from derived.restaking_record
where is_protocol and day >= @now - @now % 86400 - 518400 and day <= @now
