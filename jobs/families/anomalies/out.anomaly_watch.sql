-- Each figure watched for anomalies: its last measure of today or yesterday against its baseline, or the reason why there is no verdict.
-- Figures that were measured within the last two weeks but no longer are stay listed.
-- kind: full   grain: metric, entity
with watched as (
  select metric, entity, max(day) as last_day
  from derived.robust_baseline
  where day >= @now - @now % 86400 - 1209600 and day <= @now
  group by metric, entity
),
last_measure as (
  select *, row_number() over (partition by metric, entity order by observed_at desc, item desc) as place
  from derived.anomaly_measure
  where day >= @now - @now % 86400 - 86400 and day <= @now and observed_at <= @now
),
standing as (
  select
    w.metric, w.entity, m.observed_at, m.metric_value, m.x, b.median_x, b.mad_x, b.days,
    case
      when m.observed_at is null then 'no_reading'
      when m.gap is not null then m.gap
      when m.x is null then 'no_value_before'
      else b.gap
    end as gap
  from watched w
  left join last_measure m on m.metric = w.metric and m.entity = w.entity and m.place = 1
  left join derived.robust_baseline b on b.metric = m.metric and b.entity = m.entity and b.day = m.day
)
select
  metric, entity,
  nullif(split_part(entity, '|', 1), '') as chain,
  nullif(split_part(entity, '|', 2), '') as protocol,
  nullif(split_part(entity, '|', 3), '') as part,
  metric_value,
  case when gap is null then round((x - median_x) / (1.4826 * mad_x), 4) end as score,
  coalesce(days, 0) as baseline_days, gap, observed_at
from standing
