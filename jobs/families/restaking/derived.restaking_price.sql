-- The value in USD of one native unit of a protocol, at the time of a USD figure without a native one, by our own feeds: the median of the
-- latest answers of all usable feeds of its pair that are no older than their heartbeat, or than a day if the heartbeat is unknown.
-- Without such a feed there is no row.
-- kind: window   grain: name, observed_at   time: observed_at   order: day, name, observed_at
with figure as (
  select name, day, restaked_usd_at as observed_at
  from derived.restaking_day
  where day >= @start and day < @end and total_restaked_native is null and restaked_usd_at is not null
  union
  select name, day, staked_usd_at as observed_at
  from derived.restaking_day
  where day >= @start and day < @end and total_staked_native is null and staked_usd_at is not null
),
wanted as (
  select f.name, f.day, f.observed_at, coalesce(own.pair, every.pair) as pair
  from figure f
  left join policy.restaking_pair own on own.name = f.name
  left join policy.restaking_pair every on every.name = '*'
),
answer as (
  select
    w.name, w.day, w.observed_at, w.pair, r.price,
    row_number() over (
      partition by w.name, w.observed_at, r.chain, r.feed_address
      order by r.observed_at desc, length(r.round_id) desc, r.round_id desc
    ) as place
  from wanted w
  join derived.pair_feed f on f.pair = w.pair and f.speaks_from <= w.observed_at and f.speaks_to > w.observed_at
  join derived.feed_answer r
    on r.chain = f.chain and r.feed_address = f.feed_address and r.observed_at <= w.observed_at
    and r.observed_at > w.observed_at - least(coalesce(f.heartbeat_s, 86400) + 60, 90000)
  where r.is_valid and r.observed_at >= @start - 90000 and r.observed_at < @end
),
ranked as (
  select
    name, day, observed_at, pair, price,
    row_number() over (partition by name, observed_at order by price) as rank,
    count(*) over (partition by name, observed_at) as feeds
  from answer
  where place = 1
)
select name, day, observed_at, max(pair) as pair, avg(price) as price_usd, max(feeds) as feeds
from ranked
where 2 * rank >= feeds and 2 * rank <= feeds + 2
group by name, day, observed_at
