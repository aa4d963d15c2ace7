-- One grade of one anomaly, at the instant it was first reached within its period: a later measure of a higher grade is another row, a
-- later one of the same grade is not. `score` is the robust z (1.4826 x MAD is one standard deviation of a normal distribution) in the
-- direction of the move, and 0 if the usual move is larger. For value locked and flows, size alone is a warning and the score decides
-- about higher grades; concentration, transfers and extraction need both, and only increases count. The baseline and the deviation of a
-- flow are relative to the value locked the day before.
-- kind: window   grain: metric, entity, period_at, item, anomaly_type, grade   time: day   order: day, metric, entity, observed_at, item
with judged as (
  select
    m.*, b.median_x, round((m.x - b.median_x) / (1.4826 * b.mad_x), 6) as z,
    case m.metric
      when 'tvl' then p.tvl_change
      when 'flow' then p.flow_of_tvl
      when 'concentration' then p.concentration_change
      when 'whale' then p.whale_usd
      else p.mev_hour_usd
    end as least_effect,
    p.warn_z, p.high_z, p.critical_z
  from derived.anomaly_measure m
  join derived.robust_baseline b on b.metric = m.metric and b.entity = m.entity and b.day = m.day
  cross join policy.anomaly p
  where m.day >= @start and m.day < @end and m.x is not null and b.gap is null
),
typed as (
  select
    *,
    case when x * z > 0 or metric in ('concentration', 'whale', 'mev') then abs(z) else 0e0 end as score,
    case
      when metric = 'tvl' and x < 0 then 'tvl_drop'
      when metric = 'tvl' and x > 0 then 'tvl_spike'
      when metric = 'flow' then 'flow'
      when metric = 'mev' and z > 0 then 'mev_spike'
      when metric in ('concentration', 'whale') and z > 0 then metric
    end as anomaly_type
  from judged
  where effect >= least_effect
),
graded as (
  select
    *,
    case
      when score >= critical_z then 3
      when score >= high_z then 2
      when score >= warn_z or metric in ('tvl', 'flow') then 1
      else 0
    end as severity_rank
  from typed
  where anomaly_type is not null
),
risen as (
  select
    *,
    coalesce(max(severity_rank) over (
      partition by metric, entity, period_at, item, anomaly_type order by observed_at
      rows between unbounded preceding and 1 preceding
    ), 0) as rank_before
  from graded
),
expected as (
  select
    *,
    case metric
      when 'tvl' then base_value * (1 + median_x)
      when 'flow' then base_value * median_x
      when 'concentration' then base_value + median_x
      when 'whale' then exp(median_x)
      else exp(median_x) - 1
    end as baseline_value
  from risen
  where severity_rank > rank_before
)
select
  metric, anomaly_type, entity, observed_at, day, period_at, item, wallet_id,
  case severity_rank when 3 then 'critical' when 2 then 'high' else 'warn' end as grade,
  rank_before = 0 as is_first,
  round(score, 4) as score, metric_value, baseline_value,
  case
    when metric = 'flow' then round((x - median_x) * 100, 4)
    else round((metric_value / nullif(baseline_value, 0) - 1) * 100, 4)
  end as deviation_pct
from expected
