-- Utilisation of one lending market at the end of one hour, by its last report that has not expired, and the amount liquidated in the
-- hour, null if no report of the hour has it.
-- kind: window   grain: entity, hour   time: hour   order: day, entity, hour
with report as (
  select
    r.entity, r.observed_at, r.supplied_usd, r.borrowed_usd, p.market_valid_s,
    lead(r.observed_at, 1, @end - 1 - (@end - 1) % 3600 + 3600) over (partition by r.entity order by r.observed_at) as next_at
  from obs.market_signal r
  cross join policy.regime p
  where r.observed_at >= @start - 604800 and r.observed_at < @end
),
span as (
  select
    entity, supplied_usd, borrowed_usd,
    greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) as first_hour,
    least(next_at - 1, observed_at + market_valid_s) as last_at
  from report
),
use_hour as (
  select s.entity, t.hour, s.supplied_usd, s.borrowed_usd
  from span s
  cross join unnest(sequence(s.first_hour, s.last_at, 3600)) as t(hour)
  where s.first_hour <= s.last_at
),
liquidation as (
  select
    entity, observed_at + (3600 - observed_at % 3600) % 3600 as hour,
    exact_double(sum(exact_decimal(liquidated_usd, 38, 6))) as liquidated_usd
  from obs.market_signal
  where observed_at > @start - 3600 and observed_at < @end and liquidated_usd is not null
  group by entity, observed_at + (3600 - observed_at % 3600) % 3600
)
select
  u.entity, u.hour, u.hour - u.hour % 86400 as day, u.supplied_usd, u.borrowed_usd, l.liquidated_usd
from use_hour u
left join liquidation l on l.entity = u.entity and l.hour = u.hour
