-- How complete the history of one feed is now (decision 83): rows present over rows expected, one per heartbeat since the first row, at most
-- 100 less the share of time in holes beyond the heartbeat. Holes lower the maximum and not the quotient, where the rows that they lack are
-- missing already. Null if rows exist but no heartbeat is known.
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
