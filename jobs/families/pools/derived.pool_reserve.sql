-- What one pool held of one coin at one instant, in whole coins. A pool of the `stable` kind values its coins alike, so it counts for no
-- more than it holds of the others: that is what the coin can be swapped for. A coin that the pool lists twice has one row.
-- kind: window   grain: chain, pool, observed_at, symbol   time: observed_at   order: day, chain, pool, observed_at, symbol
with coin as (
  select
    s.chain, s.pool, s.observed_at, s.day, s.kind, c.symbol,
    cast(element_at(split(s.reserves_list, ','), c.place) as double)
      / power(1e1, cast(element_at(split(s.decimals_list, ','), c.place) as double)) as units
  from obs.amm_pool_state s
  cross join unnest(split(s.symbols_list, ',')) with ordinality as c(symbol, place)
  where s.observed_at >= @start and s.observed_at < @end
),
summed as (
  select chain, pool, observed_at, day, kind, symbol, exact_double(sum(exact_decimal(least(units, 1e18), 38, 12))) as units
  from coin
  group by chain, pool, observed_at, day, kind, symbol
),
totalled as (
  select *, exact_double(sum(exact_decimal(units, 38, 12)) over (partition by chain, pool, observed_at)) as all_units
  from summed
)
select
  chain, pool, observed_at, day, symbol,
  case when kind = 'stable' then least(units, greatest(all_units - units, 0e0)) else units end as units
from totalled
