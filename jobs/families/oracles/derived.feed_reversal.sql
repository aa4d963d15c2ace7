-- A stretch of one UTC day over which a feed has gone back: its last valid answer has a lower id than an earlier one of its phase
-- (round_went_back), by the same rule as in derived.feed_coverage. until_at is the first second after it. A day opens with the state of the
-- day before; a stretch ends with the next answer, with the version of the feed, or with the day.
-- kind: window   grain: chain, feed_address, from_at   time: from_at   order: from_at, chain, feed_address
with answered as (
  select chain, feed_address, day + 86400 as day, day + 86400 as from_at, 0 as position, lpad(last_round_id, 38, '0') as last_id, highest_round_id
  from derived.feed_state
  where day >= @start - 86400 and day < @end - 86400
  union all
  select
    chain, feed_address, day, observed_at as from_at, 1 as position, max(lpad(round_id, 38, '0')) as last_id,
    max(lpad(round_id, 38, '0')) as highest_round_id
  from derived.feed_answer
  where is_valid and observed_at >= @start and observed_at < @end
  group by chain, feed_address, day, observed_at
),
compared as (
  select
    chain, feed_address, day, from_at, last_id,
    max(highest_round_id) over (
      partition by chain, feed_address, day order by from_at, position rows between unbounded preceding and current row
    ) as highest_id,
    lead(from_at, 1, day + 86400) over (partition by chain, feed_address, day order by from_at, position) as until_at
  from answered
)
select
  c.chain, c.feed_address, c.day, greatest(c.from_at, v.valid_from) as from_at, least(c.until_at, v.valid_to) as until_at,
  c.last_id, c.highest_id
from compared c
join derived.feed_version v
  on v.chain = c.chain and v.feed_address = c.feed_address and v.valid_from < c.until_at and v.valid_to > c.from_at
where v.reports_rounds and c.from_at < c.until_at and c.last_id < c.highest_id
  -- Ids of one phase of a proxy are closer than 2^63 to each other.
  and cast(c.highest_id as decimal(38, 0)) - cast(c.last_id as decimal(38, 0)) < cast(9223372036854775807 as decimal(38, 0))
