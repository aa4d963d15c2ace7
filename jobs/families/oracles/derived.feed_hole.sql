-- A hole in the history of one feed: a silence between two valid answers, however many invalid rounds it contains, in which the feed
-- missed an answer for more than one heartbeat. Time in which its market must have been closed does not count. Only the longest silence
-- that ended on each day is examined. Feeds without a heartbeat, and markets with unknown hours, cannot be checked.
-- kind: full   grain: chain, feed_address, hole_from
with week as (
  select name as market_hours, 604800 - least(sum(open_to_minute - open_from_minute) * 60, 604800) as closed_s
  from policy.market_hours
  group by name
),
silence as (
  select
    d.chain, d.feed_address, d.day, d.max_gap_s, d.max_gap_ends_at, f.heartbeat_s,
    d.max_gap_s - cast(ceil(d.max_gap_s / 6.048e5) as bigint) * cast(w.closed_s as bigint) as open_s
  from derived.feed_day d
  join derived.feed f on f.chain = d.chain and f.feed_address = d.feed_address
  join week w on w.market_hours = f.market_hours
  where d.max_gap_s > 2 * f.heartbeat_s and d.max_gap_ends_at <= @now
)
select
  s.chain, s.feed_address, s.max_gap_ends_at - s.max_gap_s as hole_from, s.max_gap_ends_at as hole_to,
  s.open_s - s.heartbeat_s as missing_s,
  row_number() over (partition by s.chain, s.feed_address order by s.max_gap_s desc, s.day) as place
from silence s
cross join policy.oracle p
where s.open_s > 2 * s.heartbeat_s + p.grace_s
