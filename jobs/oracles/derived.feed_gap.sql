-- A stretch of one day in which a feed was stale: from its last update to its next status, or to the end of the day.
-- kind: view   grain: chain, feed_address, day, from_at, to_at
with standing as (
  select
    chain, feed_address, day, staleness_status, last_update_at,
    lead(assessed_at, 1, day + 86400) over (partition by chain, feed_address, day order by assessed_at) as next_at
  from derived.feed_status
)
select chain, feed_address, day, last_update_at as from_at, max(next_at) as to_at, 'stale' as reason
from standing
where staleness_status = 'stale' and last_update_at is not null
group by chain, feed_address, day, last_update_at
