-- The sample that one period (a day, or an hour) adds to the history of one figure: its last measure, or its largest transfer.
-- kind: window   grain: metric, entity, period_at   time: day   order: day, metric, entity, period_at
select
  metric, entity, period_at, day,
  case when metric = 'whale' then max(x) else max_by(x, observed_at) end as x
from derived.anomaly_measure
where day >= @start and day < @end and x is not null
group by metric, entity, period_at, day
