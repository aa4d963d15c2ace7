-- The senders of transactions on one UTC day and the value moved, in exact wei, with the number of transactions for which each is known.
-- kind: window   grain: network, day   time: day   order: day, network
select
  network, day,
  count(*) as transactions,
  count(sender) as sender_count,
  count(distinct sender) as senders,
  count(value_wei) as value_count,
  cast(sum(value_wei) as decimal(38, 0)) as value_total_wei
from obs.network_a_transaction
where observed_at >= @start and observed_at < @end
group by network, day
union all
-- Summaries do not contain senders.
select
  network, day, cast(sum(transactions) as bigint) as transactions, 0 as sender_count, 0 as senders, 0 as value_count,
  cast(null as decimal(38, 0)) as value_total_wei
from derived.network_a_summary_day
where day >= @start and day < @end
group by network, day
