-- Value locked in one whole protocol at the end of one hour: the last reading that has not expired. Readings of 0 and contradictory ones
-- are none.
-- kind: window   grain: entity, hour   time: hour   order: day, entity, hour
with reading as (
  select
    r.entity, r.observed_at, r.tvl_usd, p.tvl_valid_s,
    lead(r.observed_at, 1, @end - 1 - (@end - 1) % 3600 + 3600) over (partition by r.entity order by r.observed_at) as next_at
  from derived.tvl_value r
  cross join policy.regime p
  where r.observed_at >= @start - 604800 and r.observed_at < @end and split_part(r.entity, '|', 3) = '' and r.tvl_usd > 0
),
span as (
  select
    entity, tvl_usd,
    greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) as first_hour,
    least(next_at - 1, observed_at + tvl_valid_s) as last_at
  from reading
)
select s.entity, t.hour, t.hour - t.hour % 86400 as day, s.tvl_usd
from span s
cross join unnest(sequence(s.first_hour, s.last_at, 3600)) as t(hour)
where s.first_hour <= s.last_at
