-- The verdict of the feeds behind one market now, which is that of its worst feed: stale, else unverifiable (including any feed that no
-- registry describes), else unknown, else fresh. A market without a feed has no row, because nothing is known about it.
-- kind: full   grain: chain, market_id
with backing as (
  select
    o.chain, o.market_id,
    max(
      case
        when c.feed_address is null or not c.has_metadata then 3
        when c.verdict = 'stale' then 4
        when c.verdict = 'unverifiable' then 3
        when c.verdict = 'fresh' then 1
        else 2
      end
    ) as worst
  from derived.market_oracle o
  left join derived.feed_verdict c on c.chain = o.chain and c.feed_address = o.feed_address
  where o.valid_from <= @now and o.valid_to > @now
  group by o.chain, o.market_id
)
select
  chain, market_id,
  case worst when 4 then 'stale' when 3 then 'unverifiable' when 1 then 'fresh' else 'unknown' end as verdict
from backing
