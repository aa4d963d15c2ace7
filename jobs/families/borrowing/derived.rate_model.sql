-- The last reported rate model of one market. An adaptive curve is dropped when it is too old; a kinked one holds until another is
-- reported. The reserve factor is taken from the rate model, else from the market's parameters.
-- kind: full   grain: chain, market_id
with latest as (
  select chain, market_id, max(observed_at) as observed_at
  from obs.market_rate_model
  where observed_at <= @now
  group by chain, market_id
)
select
  m.chain, m.market_id, m.observed_at, m.kind,
  case when m.kind = 'kinked' then m.base end as base,
  case when m.kind = 'kinked' then m.slope1 end as slope1,
  case when m.kind = 'kinked' then m.slope2 end as slope2,
  case when m.kind = 'kinked' then m.optimal end as optimal,
  case when m.kind = 'adaptive' then m.rate_at_target end as rate_at_target,
  coalesce(m.reserve_factor, a.reserve_factor) as reserve_factor
from obs.market_rate_model m
join latest l on l.chain = m.chain and l.market_id = m.market_id and l.observed_at = m.observed_at
cross join policy.borrowing p
left join derived.market_parameter a on a.chain = m.chain and a.market_id = m.market_id and a.reserve_factor <= 1
where m.kind = 'kinked' or m.observed_at > @now - p.adaptive_max_age_s
