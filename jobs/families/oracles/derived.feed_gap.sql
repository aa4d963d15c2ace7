-- A period of one day in which a feed was stale: from the second at which its last update became too old, or the start of the day, to its
-- next status, or the end of the day.
-- kind: view   grain: chain, feed_address, day, from_at
with standing as (
  select
    chain, feed_address, day, assessed_at, staleness_status, last_update_at,
    lead(assessed_at, 1, day + 86400) over (partition by chain, feed_address, day order by assessed_at) as next_at
  from derived.feed_status
)
select chain, feed_address, day, assessed_at as from_at, next_at as to_at, 'stale' as reason
from standing
where staleness_status = 'stale' and last_update_at is not null
