-- A limit of a lending market that holds now: the market is frozen or paused, its supply or debt has reached its cap, or its last state
-- is older than the policy allows or contradicts itself. A switch holds since its last change. since_at is null if no change is known, and for caps. The value
-- of a stale state is its age, which readers compute.
-- kind: full   grain: chain, market_id, limit_kind
with state as (
  select chain, market_id, last_at, supplied, borrowed, is_contradictory from derived.market_day where day = @now - @now % 86400
),
switched as (
  select chain, market_id, parameter, max(changed_at) as changed_at
  from derived.market_parameter_change
  where parameter in ('is_frozen', 'is_paused') and changed_at <= @now
  group by chain, market_id, parameter
),
found as (
  select
    a.chain, a.market_id, 'frozen' as limit_kind, c.changed_at as since_at, cast(null as double) as last_value,
    cast(null as double) as limit_value, cast(null as bigint) as last_at
  from derived.market_parameter a
  left join switched c on c.chain = a.chain and c.market_id = a.market_id and c.parameter = 'is_frozen'
  where a.is_frozen
  union all
  select a.chain, a.market_id, 'paused', c.changed_at, null, null, null
  from derived.market_parameter a
  left join switched c on c.chain = a.chain and c.market_id = a.market_id and c.parameter = 'is_paused'
  where a.is_paused
  union all
  select a.chain, a.market_id, 'supply_cap', null, s.supplied, a.supply_cap, s.last_at
  from derived.market_parameter a
  join state s on s.chain = a.chain and s.market_id = a.market_id
  where a.supply_cap > 0 and s.supplied >= a.supply_cap
  union all
  select a.chain, a.market_id, 'borrow_cap', null, s.borrowed, a.borrow_cap, s.last_at
  from derived.market_parameter a
  join state s on s.chain = a.chain and s.market_id = a.market_id
  where a.borrow_cap > 0 and s.borrowed >= a.borrow_cap
  union all
  select
    s.chain, s.market_id, 'stale_state', s.last_at + p.state_max_age_s, null, cast(p.state_max_age_s as double), s.last_at
  from state s
  cross join policy.lending p
  where s.last_at < @now - p.state_max_age_s
  union all
  select chain, market_id, 'contradictory_state', null, null, null, last_at from state where is_contradictory
)
select
  f.chain, f.market_id, f.limit_kind, f.since_at, f.last_value, f.limit_value, f.last_at, r.protocol,
  coalesce(r.name, r.collateral_symbol || ' / ' || r.loan_symbol, r.loan_symbol, f.market_id) as name, r.loan_symbol,
  r.collateral_symbol
from found f
left join derived.lending_market r
  on r.chain = f.chain and r.market_id = f.market_id and r.valid_from <= @now and r.valid_to > @now
