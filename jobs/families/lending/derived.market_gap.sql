-- A period of one day in which the newest state of a market was older than the policy allows, up to the next state or the end of the day.
-- kind: view   grain: chain, market_id, day, from_at
with known as (
  select chain, market_id, day, observed_at from obs.market_state
  union all
  select chain, market_id, day + 86400 as day, last_at as observed_at from derived.market_day where last_at is not null
),
followed as (
  select
    chain, market_id, day, observed_at,
    lead(observed_at, 1, day + 86400) over (partition by chain, market_id, day order by observed_at) as next_at
  from known
)
select
  f.chain, f.market_id, f.day, greatest(f.observed_at + p.state_max_age_s, f.day) as from_at, f.next_at as to_at,
  'no_state' as reason
from followed f
cross join policy.lending p
where greatest(f.observed_at + p.state_max_age_s, f.day) < f.next_at
