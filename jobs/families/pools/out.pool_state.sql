-- The last state of one pool. Exact amounts are digits as text.
-- kind: full   grain: chain, pool
with coin as (
  select
    s.chain, s.pool, d.place,
    cast(d.digits as bigint) as decimals
  from derived.pool_state s
  cross join unnest(split(s.decimals_list, ',')) with ordinality as d(digits, place)
),
listed as (
  select chain, pool, array_agg(decimals order by place) as decimals
  from coin
  group by chain, pool
)
select
  concat(s.chain, ':', s.pool) as id, s.chain, s.pool, s.venue, s.kind, s.observed_at, s.block_number, s.fee_pips,
  split(s.symbols_list, ',') as symbols,
  l.decimals,
  split(s.reserves_list, ',') as reserves,
  s.amplification, s.sqrt_price_x96, s.liquidity
from derived.pool_state s
join listed l on l.chain = s.chain and l.pool = s.pool
