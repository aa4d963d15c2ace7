-- What backs the supply of a lending market: the lent part is backed by the collateral, the rest is the lent asset itself. A market without
-- a recent state has no row. The lent part of a pool has none either, because any collateral may back any of its loans.
-- kind: full   grain: node, held_node
with latest as (
  select
    s.chain, s.market_id, s.observed_at, s.source_id, s.supplied_usd, s.utilization,
    row_number() over (partition by s.chain, s.market_id order by s.observed_at desc) as place
  from obs.market_state s
  cross join policy.lending p
  where s.observed_at <= @now and s.observed_at > @now - p.state_max_age_s
),
market as (
  select
    concat('market:', l.chain, ':', l.market_id) as node,
    upper(m.loan_symbol) as loan_symbol, upper(m.collateral_symbol) as collateral_symbol,
    least(l.utilization, 1e0) as lent, l.supplied_usd, l.observed_at, l.source_id
  from latest l
  join derived.lending_market m
    on m.chain = l.chain and m.market_id = l.market_id and m.valid_from <= @now and m.valid_to > @now
  where l.place = 1 and l.utilization is not null
),
part as (
  select node, collateral_symbol as symbol, lent as share, supplied_usd, observed_at, source_id
  from market
  where collateral_symbol is not null
  union all
  select node, loan_symbol as symbol, 1 - lent as share, supplied_usd, observed_at, source_id
  from market
)
select
  node, 'market' as kind, concat('asset:', symbol) as held_node, 'asset' as held_kind, symbol as held_name,
  sum(supplied_usd * share) as usd, sum(share) as share, max(observed_at) as observed_at, max(source_id) as source_id
from part
group by node, symbol
