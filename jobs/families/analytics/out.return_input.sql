-- The hourly returns of one asset in the window that ends with the last full hour. Assets are those that a lending market lends or takes
-- as collateral, that a yield opportunity holds, or that the policy names.
-- kind: full   grain: symbol
with spelled as (
  select loan_symbol as symbol from derived.lending_market where valid_from <= @now and valid_to > @now
  union
  select collateral_symbol as symbol from derived.lending_market where valid_from <= @now and valid_to > @now
  union
  select t.symbol
  from (
    select distinct o.assets
    from obs.yield_pool o
    cross join policy.analytics p
    where o.observed_at > @now - p.window_s and o.observed_at <= @now
  ) held
  cross join unnest(split(held.assets, ',')) as t(symbol)
  union
  select symbol from policy.analytics_symbol
),
wanted as (
  select distinct upper(symbol) as symbol from spelled where symbol is not null
),
hours as (
  select r.*
  from derived.return_hour r
  join wanted w on w.symbol = r.symbol
  cross join policy.analytics p
  where r.hour <= @now - @now % 3600 and r.hour > @now - @now % 3600 - p.window_s
),
listed as (
  select
    symbol, count(*) as hours_known,
    array_agg(hour - 3600 order by hour) as hours_hour,
    array_agg(round(hour_return, 12) order by hour) as hours_return
  from hours
  where hour_return is not null
  group by symbol
),
last_known as (
  select
    symbol, max(answered_at) as observed_at,
    max(case when hour = @now - @now % 3600 then price_usd end) as price_usd
  from hours
  group by symbol
),
used as (
  select symbol, array_agg(feed order by feed) as feeds
  from (
    select distinct f.symbol, concat(f.chain, ':', f.feed_address) as feed
    from derived.feed_hour f
    join wanted w on w.symbol = f.symbol
    cross join policy.analytics p
    where f.hour <= @now - @now % 3600 and f.hour > @now - @now % 3600 - p.window_s
  ) one
  group by symbol
)
select
  k.symbol, concat(k.symbol, '-USD') as pair, k.price_usd, k.observed_at, u.feeds,
  coalesce(l.hours_known, 0) < p.min_hours as is_short,
  coalesce(l.hours_hour, array[]) as hours_hour,
  coalesce(l.hours_return, array[]) as hours_return
from last_known k
cross join policy.analytics p
join used u on u.symbol = k.symbol
left join listed l on l.symbol = k.symbol
