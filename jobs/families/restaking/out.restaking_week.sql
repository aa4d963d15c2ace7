-- One protocol on one of the last seven UTC days, in the list of all protocols (4.14, decision 57). All protocols share one week,
-- which ends with the newest day of any of them.
-- kind: full   grain: name, day
with listed as (
  select
    name, day, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
    node_operator_fees, observed_at,
    max(day) over () as newest_day
  from derived.restaking_record
  where is_protocol and day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  'all' as scope, name, day, total_restaked_native, total_restaked_usd, registered_node_operators, staker_rewards, protocol_fees,
  node_operator_fees, observed_at as timestamp
from listed
where day > newest_day - 604800
