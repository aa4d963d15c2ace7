-- The price of one asset at one full hour, the weighted median of its live feeds (as for a pegged asset), and its return over the hour
-- that ends there. Both prices of a return come from the feeds that are live at both ends, so a feed that falls silent or comes back
-- does not move the price. Pools alone give no price.
-- kind: window   grain: symbol, hour   time: hour   order: day, symbol, hour
with source as (
  select symbol, hour, chain, feed_address, source_kind, weight, price, previous_price, answered_at
  from derived.feed_hour
  where hour >= @start and hour < @end
),
said as (
  select symbol, hour, 'price' as role, chain, feed_address, source_kind, weight, price from source
  union all
  select symbol, hour, 'end' as role, chain, feed_address, source_kind, weight, price from source where previous_price is not null
  union all
  select symbol, hour, 'start' as role, chain, feed_address, source_kind, weight, previous_price as price
  from source
  where previous_price is not null
),
summed as (
  select
    *,
    2 * sum(weight) over (
      partition by symbol, hour, role order by price, weight, chain, feed_address rows between unbounded preceding and current row
    ) as twice_up_to,
    sum(weight) over (partition by symbol, hour, role) as total
  from said
),
middle as (
  select
    symbol, hour, role,
    (min(case when twice_up_to >= total then price end) + min(case when twice_up_to > total then price end)) / 2 as price
  from summed
  group by symbol, hour, role
  having max(case when source_kind <> 'pool' then 1 else 0 end) = 1
),
joined as (
  select
    symbol, hour,
    max(case when role = 'price' then price end) as price_usd,
    max(case when role = 'end' then price end) as end_price,
    max(case when role = 'start' then price end) as start_price
  from middle
  group by symbol, hour
),
answered as (
  select symbol, hour, count(*) as feeds, max(answered_at) as answered_at from source group by symbol, hour
)
select
  j.symbol, j.hour, j.hour - j.hour % 86400 as day, j.price_usd, a.feeds, a.answered_at,
  j.end_price / nullif(j.start_price, 0) - 1 as hour_return
from joined j
join answered a on a.symbol = j.symbol and a.hour = j.hour
