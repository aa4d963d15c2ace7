-- Listed days whose contracts were counted from transactions only, which misses contracts created by contracts.
-- verdict: warn   reaches: out.network_a_transaction_statistic
with counted as (
  select network, day, count(*) as blocks, count(created_contracts) as traced, max(day) over (partition by network) as newest_day
  from obs.network_a_block
  where day >= @now - @now % 86400 - 604800 and day <= @now and transaction_count > 0
  group by network, day
)
select
  concat(
    network, ': contracts made by factories are not counted on ', cast(count(*) as varchar),
    if(count(*) = 1, ' day', ' days'), ', because blocks came without traces'
  ) as reason,
  round(cast(count(*) as double) / 140, 4) as weight
from counted
where traced < blocks and day > newest_day - 604800
group by network
order by network
