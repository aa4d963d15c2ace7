-- Statistics of one served layer-2 network for the latest complete UTC day, yesterday (2.9, decision 84): the day before it while nothing is
-- known of yesterday yet. A figure that is not known for that day is null, however recent it is, and a sum over days is null if one of the
-- days is unknown. A network of which nothing is known in the seven days before today has no row. Sums use decimals, so that they do not
-- depend on the order of their terms.
-- kind: full   grain: network
with figure as (
  select network, metric, day, value
  from derived.layer2_day
  where day > @now - @now % 86400 - 3196800 and day <= @now and metric in ('tx_count', 'tvl_usd', 'fees_usd', 'avg_block_time_s')
),
known_day as (
  select
    network,
    coalesce(max(case when day >= @now - @now % 86400 - 172800 then day end), @now - @now % 86400 - 86400) as day
  from figure
  where metric <> 'avg_block_time_s' and day >= @now - @now % 86400 - 604800
  group by network
),
aged as (
  select
    f.network, k.day, f.metric, exact_decimal(f.value, 38, 10) as value,
    f.day = k.day as is_of_day,
    f.day > k.day - 604800 as is_of_week
  from figure f
  join known_day k on k.network = f.network
  where f.day <= k.day and f.day > k.day - 2592000
),
summed as (
  select
    network, day, metric,
    max(case when is_of_day then value end) as daily,
    case when count(*) filter (where is_of_week) = 7 then sum(case when is_of_week then value end) end as weekly,
    case when count(*) = 30 then sum(value) end as monthly
  from aged
  group by network, day, metric
),
statistic as (
  select
    network, day,
    max(case when metric = 'tx_count' then daily end) as tx_daily,
    max(case when metric = 'tx_count' then weekly end) as tx_weekly,
    max(case when metric = 'tx_count' then monthly end) as tx_monthly,
    max(case when metric = 'tvl_usd' then daily end) as tvl_usd,
    max(case when metric = 'fees_usd' then daily end) as fees_daily,
    max(case when metric = 'fees_usd' then weekly end) as fees_weekly,
    max(case when metric = 'fees_usd' then monthly end) as fees_monthly,
    max(case when metric = 'avg_block_time_s' then daily end) as avg_block_time
  from summed
  group by network, day
)
select
  n.network, s.day,
  substr(cast(cast(from_unixtime(s.day) as timestamp(0)) as varchar), 1, 10) as date,
  n.validation_mechanism, n.soft_finality, n.hard_finality, n.settlement_layer_finality, n.tx_per_sec_capacity,
  n.withdrawal_time_sec,
  cast(round(s.tx_daily) as bigint) as tx_daily,
  cast(round(s.tx_weekly) as bigint) as tx_weekly,
  cast(round(s.tx_monthly) as bigint) as tx_monthly,
  exact_double(round(s.tvl_usd, 2)) as tvl_usd,
  exact_double(round(s.fees_daily, 2)) as fees_daily,
  exact_double(round(s.fees_weekly, 2)) as fees_weekly,
  exact_double(round(s.fees_monthly, 2)) as fees_monthly,
  exact_double(round(s.avg_block_time, 6)) as avg_block_time
from statistic s
join obs.layer2_network n on n.network = s.network
