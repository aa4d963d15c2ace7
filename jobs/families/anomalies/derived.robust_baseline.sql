-- The baseline of one figure for one day: median and median absolute deviation of the samples of the days before. `gap` says why there
-- is no verdict: too few days, or no spread to measure a deviation by.
-- kind: window   grain: metric, entity, day   time: day   order: day, metric, entity
with judged as (
  select distinct metric, entity, day
  from derived.anomaly_measure
  where day >= @start and day < @end
),
past as (
  select j.metric, j.entity, j.day, s.day as sample_day, s.period_at, s.x
  from judged j
  cross join policy.anomaly p
  join derived.robust_sample s
    on s.metric = j.metric and s.entity = j.entity and s.day < j.day and s.day >= j.day - p.baseline_days * 86400
),
placed as (
  select
    *,
    row_number() over (partition by metric, entity, day order by x, period_at) as place,
    count(*) over (partition by metric, entity, day) as samples
  from past
),
centred as (
  select
    metric, entity, day, max(samples) as samples, count(distinct sample_day) as days,
    -- The middle sample, or the mean of the two middle samples.
    avg(case when place * 2 >= samples and place * 2 <= samples + 2 then x end) as median_x
  from placed
  group by metric, entity, day
),
distance as (
  select
    p.metric, p.entity, p.day, p.samples, abs(p.x - c.median_x) as distance,
    row_number() over (partition by p.metric, p.entity, p.day order by abs(p.x - c.median_x), p.period_at) as place
  from placed p
  join centred c on c.metric = p.metric and c.entity = p.entity and c.day = p.day
),
spread as (
  select
    metric, entity, day,
    avg(case when place * 2 >= samples and place * 2 <= samples + 2 then distance end) as mad_x
  from distance
  group by metric, entity, day
)
select
  j.metric, j.entity, j.day, coalesce(c.samples, 0) as samples, coalesce(c.days, 0) as days, c.median_x, s.mad_x,
  case
    when coalesce(c.days, 0) < p.min_days then 'too_few_days'
    when s.mad_x = 0 then 'no_spread'
  end as gap
from judged j
cross join policy.anomaly p
left join centred c on c.metric = j.metric and c.entity = j.entity and c.day = j.day
left join spread s on s.metric = j.metric and s.entity = j.entity and s.day = j.day
