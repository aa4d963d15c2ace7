-- Components missing in the last week, each with the share of weight lost, and components with outdated figures.
-- verdict: warn
with week as (
  select component, protocol, day, gap, weight_bps, oldest_day < day - 86400 as is_old, count(*) over (partition by component) as days
  from derived.overall_component
  where day >= @now - @now % 86400 - 518400 and day <= @now
),
missing as (
  select component, gap, count(*) as gaps, max(days) as days, max(weight_bps) as weight_bps
  from week
  where gap is not null
  group by component, gap
)
select
  concat(
    component, ': ', gap, ' on ', cast(gaps as varchar), ' of ', cast(days as varchar), ' days of all protocols'
  ) as reason,
  cast(gaps as double) / days * weight_bps / 10000 as weight
from missing
union all
select
  concat(component, ': figures of two days before and older on ', cast(count(*) as varchar), ' of ', cast(max(days) as varchar), ' days of all protocols') as reason,
  0e0 as weight
from week
where is_old
group by component
order by reason
