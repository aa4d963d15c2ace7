-- One market on one UTC day and its state at the end, carried over days without states. A state that merely repeats is not newer.
-- kind: window   grain: chain, market_id, day   time: day   order: day, chain, market_id
with before as (
  select * from derived.market_day where day = @start - 86400
),
state as (
  select *, row_number() over (partition by chain, market_id, day order by observed_at desc) as place
  from obs.market_state
  where observed_at >= @start and observed_at < @end
),
summed as (
  select
    chain, market_id, day, count(*) as observations, min(observed_at) as first_at, max(observed_at) as last_at,
    min(utilization) as utilization_min, max(utilization) as utilization_max
  from state
  group by chain, market_id, day
),
known as (
  select
    chain, market_id, day, observations, first_at, last_at, utilization_min, utilization_max, utilization, supplied, borrowed,
    supplied_usd, borrowed_usd, withdrawable_usd, depth_usd, supply_apr_pct, borrow_apr_pct, flags, reported_utilization, reported_withdrawable_usd,
    exit_depth_usd, is_contradictory
  from before
  union all
  select
    d.chain, d.market_id, d.day, d.observations, d.first_at, d.last_at, d.utilization_min, d.utilization_max, s.utilization, s.supplied,
    s.borrowed, s.supplied_usd, s.borrowed_usd, s.withdrawable_usd, s.depth_usd, s.supply_apr_pct, s.borrow_apr_pct, s.flags,
    s.reported_utilization, s.reported_withdrawable_usd, s.exit_depth_usd, s.is_contradictory
  from summed d
  join state s on s.chain = d.chain and s.market_id = d.market_id and s.day = d.day and s.place = 1
),
spread as (
  select
    k.*,
    min(first_at) over (partition by chain, market_id) as known_from,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, market_id order by day) as until_day
  from known k
)
select
  s.chain, s.market_id, t.day,
  case when t.day = s.day then s.observations else 0 end as observations,
  s.known_from as first_at, s.last_at,
  case when t.day = s.day then s.utilization_min end as utilization_min,
  case when t.day = s.day then s.utilization_max end as utilization_max,
  s.utilization, s.supplied, s.borrowed, s.supplied_usd, s.borrowed_usd, s.withdrawable_usd, s.depth_usd,
  s.supply_apr_pct, s.borrow_apr_pct, s.flags, s.reported_utilization, s.reported_withdrawable_usd, s.exit_depth_usd, s.is_contradictory
from spread s
cross join unnest(sequence(s.day, s.until_day - 1, 86400)) as t(day)
where t.day >= @start
