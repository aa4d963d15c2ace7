-- The latest record of one protocol, of the last seven days (4.13).
-- kind: full   grain: name
select
  name, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees, node_operator_fees,
  observed_at as timestamp
from (
  select
    name, observed_at, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
    node_operator_fees,
    row_number() over (partition by name order by day desc) as place
  from derived.restaking_record
  where is_protocol and day >= @now - @now % 86400 - 518400 and day <= @now
) ranked
where place = 1
