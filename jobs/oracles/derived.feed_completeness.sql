-- How complete the history of one feed is now. It is complete with one row per heartbeat since the first and no hole; the time of a hole
-- counts as missing, however many rows there are. Null if rows exist but no heartbeat is known.
-- kind: full   grain: chain, feed_address
with hole as (
  select chain, feed_address, sum(missing_s) as missing_s from derived.feed_hole group by chain, feed_address
)
select
  c.chain, c.scope_id as feed_address,
  case
    when c.rows_present = 0 then 0e0
    when c.heartbeat_s is not null then greatest(
      least(
        cast(c.rows_present as double) / greatest(cast(@now - c.first_at as double) / c.heartbeat_s, 1e0) * 100, 1e2,
        1e2 - coalesce(cast(h.missing_s as double) / nullif(@now - c.first_at, 0) * 100, 0e0)
      ),
      0e0
    )
  end as history_completeness_pct
from derived.feed_coverage c
left join hole h on h.chain = c.chain and h.feed_address = c.scope_id
