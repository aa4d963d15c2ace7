-- One lending market at one full hour: its last state up to that second, and the change over the hour that ends there. An hour whose
-- last state is older than the policy allows has no row. The previous_ columns and flow are null unless the previous hour has a row too;
-- flow is the change of the withdrawable amount as a share of what was supplied at the start of the hour.
-- kind: window   grain: chain, market_id, hour   time: hour   order: day, chain, market_id, hour
with before as (
  select chain, market_id, hour, state_at, supplied_usd, borrowed_usd, withdrawable_usd, utilization, exit_depth_usd
  from derived.market_hour
  where hour = @start - 3600
),
state as (
  select chain, market_id, observed_at, supplied_usd, borrowed_usd, withdrawable_usd, utilization, exit_depth_usd
  from obs.market_state
  where observed_at > @start - 3600 and observed_at < @end
  union all
  select chain, market_id, state_at as observed_at, supplied_usd, borrowed_usd, withdrawable_usd, utilization, exit_depth_usd
  from before
),
placed as (
  select
    *, greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) as first_hour,
    row_number() over (
      partition by chain, market_id, greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) order by observed_at desc
    ) as place
  from state
),
span as (
  select
    s.*,
    least(
      lead(s.first_hour, 1, @end - 1 - (@end - 1) % 3600 + 3600) over (partition by s.chain, s.market_id order by s.first_hour) - 1, s.observed_at + p.state_max_age_s
    ) as last_second
  from placed s
  cross join policy.lending p
  where s.place = 1
),
known as (
  select
    s.chain, s.market_id, t.hour, s.observed_at as state_at, s.supplied_usd, s.borrowed_usd, s.withdrawable_usd, s.utilization,
    s.exit_depth_usd
  from span s
  cross join unnest(sequence(s.first_hour, s.last_second, 3600)) as t(hour)
  where s.first_hour <= s.last_second
  union all
  select chain, market_id, hour, state_at, supplied_usd, borrowed_usd, withdrawable_usd, utilization, exit_depth_usd from before
),
neighboured as (
  select
    *,
    lag(hour) over in_order as previous_hour,
    lag(supplied_usd) over in_order as supplied_before,
    lag(withdrawable_usd) over in_order as withdrawable_before,
    lag(utilization) over in_order as utilization_before
  from known
  window in_order as (partition by chain, market_id order by hour)
)
select
  chain, market_id, hour, hour - hour % 86400 as day, state_at, supplied_usd, borrowed_usd, withdrawable_usd, utilization, exit_depth_usd,
  case when previous_hour = hour - 3600 then supplied_before end as previous_supplied_usd,
  case when previous_hour = hour - 3600 then withdrawable_before end as previous_withdrawable_usd,
  case when previous_hour = hour - 3600 then utilization_before end as previous_utilization,
  case when previous_hour = hour - 3600 then (withdrawable_usd - withdrawable_before) / nullif(supplied_before, 0) end as flow
from neighboured
where hour >= @start
