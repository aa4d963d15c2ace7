-- One change of a feed's status to stale, or to a worse grade of it, with its doubts separated by commas. source_silent: every other feed
-- of the chain with the same heartbeat is stale at that second too, so the source may have fallen silent instead.
-- holiday_possible: the market of the feed has opened since its last update, and market hours do not account for holidays.
-- kind: window   grain: chain, feed_address, assessed_at   time: assessed_at   order: day, chain, feed_address, assessed_at
with standing as (
  select
    s.chain, s.feed_address, s.assessed_at, s.day, s.staleness_status, s.last_update_at, s.threshold_at, s.is_change,
    v.heartbeat_s,
    -- The first row of a day carries the status over, so that the counts of a day need no other day.
    case when s.staleness_status = 'fresh' then 1 else 0 end as is_fresh,
    case when s.staleness_status in ('fresh', 'stale') then 1 else 0 end as is_judged
  from derived.feed_status s
  join derived.feed_version v
    on v.chain = s.chain and v.feed_address = s.feed_address and v.valid_from <= s.assessed_at and v.valid_to > s.assessed_at
  where s.assessed_at >= @start and s.assessed_at < @end
),
moved as (
  select
    *,
    is_fresh - coalesce(lag(is_fresh) over in_order, 0) as fresh_more,
    is_judged - coalesce(lag(is_judged) over in_order, 0) as judged_more
  from standing
  window in_order as (partition by chain, feed_address, heartbeat_s, day order by assessed_at)
),
counted as (
  select
    *,
    sum(fresh_more) over so_far as fresh_feeds,
    sum(judged_more) over so_far as judged_feeds
  from moved
  window so_far as (partition by chain, heartbeat_s, day order by assessed_at range between unbounded preceding and current row)
)
select
  c.chain, c.feed_address, c.assessed_at, c.day,
  substr(concat(
    case when c.threshold_at > c.last_update_at + c.heartbeat_s + p.grace_s then ',holiday_possible' else '' end,
    case when c.judged_feeds > 1 and c.fresh_feeds = 0 then ',source_silent' else '' end
  ), 2) as doubts
from counted c
cross join policy.oracle p
where c.staleness_status = 'stale' and c.is_change
