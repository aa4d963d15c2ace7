-- Pools that report a greater exit depth than is supplied and not borrowed, on their last day of the window.
-- verdict: warn
with last_state as (
  select
    protocol, pool_id, is_more_than_free,
    row_number() over (partition by protocol, pool_id order by observed_at desc) as recency
  from obs.overall_pool
  where observed_at >= @start and observed_at < @end
)
select
  protocol,
  concat(
    protocol, ': the exit depth of ', cast(count(*) as varchar), ' pools was reported as more than is supplied and not borrowed, which was used instead: ', min(pool_id)
  ) as reason,
  0e0 as weight
from last_state
where recency = 1 and is_more_than_free
group by protocol
