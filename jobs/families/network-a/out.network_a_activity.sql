-- The users of a network on one of the last seven UTC days (decision 57), with figures that the contract's record has no field for. A sum
-- that lacks the value of a transaction is a named gap.
-- kind: full   grain: network, day
with listed as (
  select s.*, max(s.day) over (partition by s.network) as newest_day
  from derived.network_a_sender_day s
  where s.day >= @now - @now % 86400 - 604800 and s.day <= @now
)
select
  network, day,
  substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 10) as date,
  transactions,
  case when sender_count = transactions then senders end as unique_senders,
  case when value_count = transactions then cast(cast(value_total_wei as varchar) || 'e-18' as double) end as value_native,
  case when value_count = transactions then cast(cast(value_total_wei as varchar) || 'e-18' as double) / transactions end
    as avg_value_native,
  case
    when sender_count < transactions and value_count < transactions then array['sender_not_known', 'value_not_known']
    when sender_count < transactions then array['sender_not_known']
    when value_count < transactions then array['value_not_known']
    else array[]
  end as gaps
from listed
where day > newest_day - 604800
