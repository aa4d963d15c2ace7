-- Components and records of the week that are missing, each with the share of the weight that is gone.
-- verdict: warn
with week as (
  select component, protocol, day, gap, weight_bps, count(*) over (partition by component) as days
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
order by reason
