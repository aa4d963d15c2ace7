-- A lending market that is short of liquidity now, by one measure: the value at confirmation, the worst value since (the highest
-- utilization or the lowest depth), and the last value.
-- kind: full   grain: chain, market_id, measure
with last_step as (
  select
    chain, market_id, measure, is_active, since_at,
    row_number() over (partition by chain, market_id, measure order by observed_at desc, is_observation desc) as recency
  from derived.market_step
  where day = @now - @now % 86400 and observed_at <= @now
),
standing as (
  select chain, market_id, measure, since_at from last_step where recency = 1 and is_active
),
seen as (
  select
    s.chain, s.market_id, s.measure, s.since_at, g.observed_at, g.value, g.threshold, g.is_far,
    row_number() over (partition by s.chain, s.market_id, s.measure order by g.observed_at) as turn,
    row_number() over (partition by s.chain, s.market_id, s.measure order by g.observed_at desc) as recency,
    row_number() over (
      partition by s.chain, s.market_id, s.measure
      order by case when s.measure = 'utilization' then -g.value else g.value end, g.observed_at
    ) as badness
  from standing s
  join derived.market_signal g
    on g.chain = s.chain and g.market_id = s.market_id and g.measure = s.measure and g.observed_at >= s.since_at
  where g.observed_at <= @now
)
select
  s.chain, s.market_id, s.measure, s.since_at, r.protocol,
  coalesce(r.name, r.collateral_symbol || ' / ' || r.loan_symbol, r.loan_symbol, s.market_id) as name,
  r.loan_symbol, r.collateral_symbol,
  concat(s.chain, '|', s.market_id, '|', cast(s.since_at as varchar)) as event_key,
  max(case when v.turn = 1 then v.value end) as start_value,
  max(case when v.turn = 1 then v.threshold end) as threshold,
  -- Set if the market was drained while the median does not speak for a collapse, or is not known.
  max(
    case when v.turn = 1 and v.is_far and (v.threshold is null or v.value > v.threshold) then p.withdrawable_below end
  ) as withdrawable_below,
  max(p.withdrawable_rearm_from) as withdrawable_rearm_from,
  max(case when v.badness = 1 then v.value end) as worst_value,
  max(case when v.badness = 1 then v.observed_at end) as worst_at,
  max(case when v.recency = 1 then v.value end) as last_value,
  max(case when v.recency = 1 then v.observed_at end) as last_at,
  max(coalesce(m.rearm_below, p.rearm_below)) as rearm_below,
  max(p.collapse_rearm_above) as collapse_rearm_above,
  max(p.confirm_observations) as confirm_observations
from standing s
cross join policy.lending p
left join seen v on v.chain = s.chain and v.market_id = s.market_id and v.measure = s.measure
left join policy.lending_market m on m.chain = s.chain and m.market_id = s.market_id
left join derived.lending_market r
  on r.chain = s.chain and r.market_id = s.market_id and r.valid_from <= @now and r.valid_to > @now
group by s.chain, s.market_id, s.measure, s.since_at, r.protocol, r.name, r.collateral_symbol, r.loan_symbol
