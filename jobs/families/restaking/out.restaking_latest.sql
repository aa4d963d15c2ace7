-- The latest record of one protocol in the last seven days or today, whatever other protocols have (4.13, decision 57).
-- kind: full   grain: name
with listed as (
  select
    name, day, observed_at, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
    node_operator_fees,
    row_number() over (partition by name order by day desc) as place
  from derived.restaking_record
  where is_protocol and day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  name, day, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees, node_operator_fees,
  observed_at as timestamp
from listed
where place = 1
