-- One market on one UTC day and its state at the end, carried over days without states. stale_s: seconds of the day, from the
-- first state on, in which the newest state was older than a state may be; a state that is only repeated is no newer.
-- kind: window   grain: chain, market_id, day   time: day   order: day, chain, market_id
with before as (
  select * from derived.market_day where day = @start - 86400
),
state as (
  select *, row_number() over (partition by chain, market_id, day order by observed_at desc) as place
  from obs.market_state
  where observed_at >= @start and observed_at < @end
),
silence as (
  select
    chain, market_id, observed_at,
    lead(observed_at, 1, @end) over (partition by chain, market_id order by observed_at) as until_at
  from (
    select chain, market_id, observed_at from state
    union all
    select chain, market_id, last_at as observed_at from before
  ) known
),
stretch as (
  select s.chain, s.market_id, greatest(s.observed_at + p.state_max_age_s, @start) as stale_from, s.until_at as stale_to
  from silence s
  cross join policy.lending p
  where s.observed_at + p.state_max_age_s < s.until_at and s.until_at > @start
),
stale as (
  select
    s.chain, s.market_id, t.day,
    cast(sum(least(s.stale_to, t.day + 86400) - greatest(s.stale_from, t.day)) as bigint) as stale_s
  from stretch s
  cross join unnest(sequence(s.stale_from - s.stale_from % 86400, s.stale_to - 1, 86400)) as t(day)
  group by s.chain, s.market_id, t.day
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
    supplied_usd, borrowed_usd, withdrawable_usd, depth_usd, supply_apr_pct, borrow_apr_pct, flags
  from before
  union all
  select
    d.chain, d.market_id, d.day, d.observations, d.first_at, d.last_at, d.utilization_min, d.utilization_max, s.utilization, s.supplied,
    s.borrowed, s.supplied_usd, s.borrowed_usd, s.withdrawable_usd, s.depth_usd, s.supply_apr_pct, s.borrow_apr_pct, s.flags
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
  s.supply_apr_pct, s.borrow_apr_pct, s.flags,
  coalesce(q.stale_s, 0) as stale_s
from spread s
cross join unnest(sequence(s.day, s.until_day - 1, 86400)) as t(day)
left join stale q on q.chain = s.chain and q.market_id = s.market_id and q.day = t.day
where t.day >= @start
