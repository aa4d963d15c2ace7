-- The price of one dollar feed at one full hour: its last valid answer up to that second, while that answer counts (lasts_s).
-- previous_price is the feed's price one hour earlier, or null.
-- kind: window   grain: chain, feed_address, hour   time: hour   order: day, symbol, hour, chain, feed_address
with before as (
  select chain, feed_address, symbol, hour, price from derived.feed_hour where hour = @start - 3600
),
usable as (
  select chain, feed_address, max(lasts_s) as lasts_s
  from derived.dollar_feed
  where speaks_from < @end and speaks_to > @start
  group by chain, feed_address
),
answer as (
  select r.chain, r.feed_address, r.observed_at, r.round_id, r.price, u.lasts_s
  from derived.feed_answer r
  join usable u on u.chain = r.chain and u.feed_address = r.feed_address
  where r.is_valid and r.observed_at >= @start and r.observed_at < @end
  union all
  select s.chain, s.feed_address, s.last_at as observed_at, s.last_round_id as round_id, s.last_price as price, u.lasts_s
  from derived.feed_state s
  join usable u on u.chain = s.chain and u.feed_address = s.feed_address
  where s.day = @start - 86400 and s.last_at is not null
),
timed as (
  select *, greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) as first_hour
  from answer
),
placed as (
  select
    *,
    row_number() over (
      partition by chain, feed_address, first_hour order by observed_at desc, length(round_id) desc, round_id desc
    ) as place
  from timed
),
span as (
  select
    *,
    least(
      lead(first_hour, 1, @end - 1 - (@end - 1) % 3600 + 3600) over (partition by chain, feed_address order by first_hour) - 1, observed_at + lasts_s
    ) as last_second
  from placed
  where place = 1
),
priced as (
  select s.chain, s.feed_address, t.hour, s.observed_at, s.price
  from span s
  cross join unnest(sequence(s.first_hour, s.last_second, 3600)) as t(hour)
  where s.first_hour <= s.last_second
),
known as (
  select h.chain, h.feed_address, d.symbol, h.hour, h.price, h.observed_at, d.source_kind, d.weight
  from priced h
  join derived.dollar_feed d
    on d.chain = h.chain and d.feed_address = h.feed_address and d.speaks_from <= h.hour and d.speaks_to > h.hour
    and h.hour - h.observed_at <= d.lasts_s
  union all
  select
    chain, feed_address, symbol, hour, price, cast(null as bigint) as observed_at, cast(null as varchar) as source_kind,
    cast(null as decimal(18, 6)) as weight
  from before
),
neighboured as (
  select
    *,
    lag(hour) over in_order as previous_hour,
    lag(price) over in_order as price_before
  from known
  window in_order as (partition by chain, feed_address, symbol order by hour)
)
select
  chain, feed_address, symbol, hour, hour - hour % 86400 as day, observed_at as answered_at, source_kind, weight, price,
  case when previous_hour = hour - 3600 then price_before end as previous_price
from neighboured
where hour >= @start
