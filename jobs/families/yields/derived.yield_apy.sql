-- The APY of one opportunity at one observation: means and deviation over the daily means of the last days, with the current day up to that
-- observation. With too few observed days a mean is unknown, and the 30-day mean is the source's own. An implausible APY is never used.
-- kind: window   grain: opportunity_id, observed_at   time: observed_at   order: day, opportunity_id, observed_at
with seen as (
  select
    o.opportunity_id, o.observed_at, o.day, o.paid_apy as net_apy, o.apy_mean_30d as source_mean,
    coalesce(abs(o.paid_apy) <= p.plausible_max_pct, false) as is_plausible
  from obs.yield_pool o
  cross join policy.yields p
  where o.observed_at >= @start and o.observed_at < @end
),
past as (
  select
    d.day, h.opportunity_id,
    count(*) as observed_days,
    count(h.mean_apy) as days_30,
    count(case when h.day >= d.day - 518400 then h.mean_apy end) as days_7,
    sum(h.mean_apy) as sum_30,
    sum(case when h.day >= d.day - 518400 then h.mean_apy end) as sum_7,
    sum(h.mean_apy * h.mean_apy) as squares_30
  from (select distinct day from seen) d
  join (
    select opportunity_id, day, exact_decimal(mean_apy, 19, 8) as mean_apy
    from derived.yield_apy_day
    where day >= @start - 2505600 and day < @end
  ) h on h.day >= d.day - 2505600 and h.day < d.day
  group by d.day, h.opportunity_id
),
today as (
  select s.*, exact_decimal(s.mean, 19, 8) as mean_apy
  from (
    select
      *,
      exact_double(sum(case when is_plausible then exact_decimal(net_apy, 19, 8) end) over so_far)
      / nullif(count(case when is_plausible then 1 end) over so_far, 0) as mean
    from seen
    window so_far as (
      partition by opportunity_id, day order by observed_at rows between unbounded preceding and current row
    )
  ) s
),
summed as (
  select
    t.opportunity_id, t.observed_at, t.day, t.net_apy, t.source_mean, t.is_plausible,
    coalesce(p.observed_days, 0) + 1 as observed_days,
    coalesce(p.days_30, 0) + case when t.mean_apy is null then 0 else 1 end as days_30,
    coalesce(p.days_7, 0) + case when t.mean_apy is null then 0 else 1 end as days_7,
    cast(coalesce(p.sum_30, 0) + coalesce(t.mean_apy, 0) as decimal(19, 8)) as sum_30,
    cast(coalesce(p.sum_7, 0) + coalesce(t.mean_apy, 0) as decimal(19, 8)) as sum_7,
    cast(coalesce(p.squares_30, 0) + coalesce(t.mean_apy * t.mean_apy, 0) as decimal(32, 16)) as squares_30
  from today t
  left join past p on p.opportunity_id = t.opportunity_id and p.day = t.day
),
averaged as (
  select
    s.opportunity_id, s.observed_at, s.day, s.net_apy, s.is_plausible, s.observed_days, p.spike_multiple,
    case when s.days_7 >= p.min_days_7 then round(exact_double(s.sum_7) / s.days_7, 6) end as mean_7d,
    case when s.days_30 >= p.min_days_30 then round(exact_double(s.sum_30) / s.days_30, 6) end as own_mean,
    case when abs(s.source_mean) <= p.plausible_max_pct then s.source_mean end as source_mean,
    -- Sample deviation; the difference is taken before rounding, so that a steady APY has a deviation of 0.
    case
      when s.days_30 >= p.min_days_sigma and s.days_30 > 1
        then round(
          sqrt(
            exact_double(s.squares_30 * cast(s.days_30 as decimal(2, 0)) - s.sum_30 * s.sum_30)
            / s.days_30 / (s.days_30 - 1)
          ),
          6
        )
    end as sigma
  from summed s
  cross join policy.yields p
)
select
  opportunity_id, observed_at, day, is_plausible, observed_days, mean_7d,
  coalesce(own_mean, source_mean) as mean_30d,
  own_mean is null and source_mean is not null as is_mean_from_source,
  sigma,
  case when is_plausible and coalesce(own_mean, source_mean) is not null
    then coalesce(own_mean, source_mean) > 0 and net_apy >= spike_multiple * coalesce(own_mean, source_mean)
  end as is_spike
from averaged
