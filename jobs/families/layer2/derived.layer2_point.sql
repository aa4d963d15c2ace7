-- The daily figures of one layer-2 network on one UTC day; a figure that no source has is null.
-- kind: view   grain: network, day
select
  network, day,
  cast(max(case when metric = 'tx_count' then value end) as double) as transactions,
  cast(max(case when metric = 'tvl_usd' then value end) as double) as tvl_usd,
  cast(max(case when metric = 'fees_usd' then value end) as double) as fees_usd,
  cast(max(case when metric = 'avg_block_time_s' then value end) as double) as avg_block_time_s
from derived.layer2_day
group by network, day
