-- The mean observed APY of one opportunity on one UTC day; null on a day without a plausible one. Sums are exact, so that the order of
-- rows does not matter.
-- kind: window   grain: opportunity_id, day   time: day   order: day, opportunity_id
select
  o.opportunity_id, o.day,
  count(*) as observations,
  round(
    exact_double(sum(case when abs(o.paid_apy) <= p.plausible_max_pct then exact_decimal(o.paid_apy, 19, 8) end))
    / nullif(count(*) filter (where abs(o.paid_apy) <= p.plausible_max_pct), 0),
    8
  ) as mean_apy
from obs.yield_pool o
cross join policy.yields p
where o.observed_at >= @start and o.observed_at < @end
group by o.opportunity_id, o.day
