-- The verdict of the feeds behind one market now, which is that of its worst feed: stale, else unverifiable (including any feed that no
-- registry describes, and a price that another source disputes), else unknown, else fresh. The reason names what is wrong, an invalid
-- answer first. A market without a feed has no row, because nothing is known about it.
-- kind: full   grain: chain, market_id
with disputed as (
  select distinct chain, market_id from derived.market_price_spread where is_disputed
),
backing as (
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
    ) as worst,
    min(c.invalid_reason) as invalid_reason,
    max(case when c.feed_address is null or not c.has_metadata then 1 else 0 end) as has_unregistered
  from derived.market_oracle o
  left join derived.feed_verdict c on c.chain = o.chain and c.feed_address = o.feed_address
  where o.valid_from <= @now and o.valid_to > @now
  group by o.chain, o.market_id
)
select
  b.chain, b.market_id,
  case
    when b.worst = 4 then 'stale'
    when b.worst = 3 or d.chain is not null then 'unverifiable'
    when b.worst = 1 then 'fresh'
    else 'unknown'
  end as verdict,
  case
    when b.invalid_reason is not null then b.invalid_reason
    when b.worst = 4 then 'feed_stale'
    when d.chain is not null then 'sources_disagree'
    when b.has_unregistered = 1 then 'feed_unregistered'
    when b.worst = 3 then 'feed_unverifiable'
    when b.worst = 2 then 'feed_unknown'
  end as reason
from backing b
left join disputed d on d.chain = b.chain and d.market_id = b.market_id
