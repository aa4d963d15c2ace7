-- The last price of one watched pair in the hour that ended at `hour`, from the usable feed of the pair with the lowest address.
-- An hour without an answer has no row.
-- kind: window   grain: pair, hour   time: hour   order: day, pair, hour
with answer as (
  select
    f.pair, f.chain, f.feed_address, r.observed_at, r.round_id, r.price,
    r.observed_at + (3600 - r.observed_at % 3600) % 3600 as hour
  from derived.feed_answer r
  join derived.pair_feed f
    on f.chain = r.chain and f.feed_address = r.feed_address
    and f.speaks_from <= r.observed_at and f.speaks_to > r.observed_at
  join policy.regime_pair p on p.pair = f.pair
  where r.is_valid and r.observed_at > @start - 3600 and r.observed_at < @end
),
placed as (
  select
    *,
    row_number() over (
      partition by pair, hour order by chain, feed_address, observed_at desc, length(round_id) desc, round_id desc
    ) as place
  from answer
)
select pair, hour, hour - hour % 86400 as day, chain, feed_address, price
from placed
where place = 1 and hour >= @start and hour < @end
