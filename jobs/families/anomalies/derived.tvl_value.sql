-- Value locked in one protocol or pool at one instant, from everything that is stated about it. Statements that agree within
-- anomaly.tvl_tolerance give their middle, whatever their order; those that do not contradict each other, and the value is unknown.
-- kind: view   grain: entity, observed_at
select
  s.entity, s.observed_at, s.day, s.lowest_usd, s.highest_usd,
  s.highest_usd - s.lowest_usd > p.tvl_tolerance * s.highest_usd as is_contradictory,
  case when s.highest_usd - s.lowest_usd <= p.tvl_tolerance * s.highest_usd then (s.lowest_usd + s.highest_usd) / 2 end as tvl_usd
from (
  select entity, observed_at, day, min(tvl_usd) as lowest_usd, max(tvl_usd) as highest_usd
  from obs.tvl_reading
  group by entity, observed_at, day
) s
cross join policy.anomaly p
