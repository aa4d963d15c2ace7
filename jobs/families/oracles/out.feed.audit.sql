-- Feeds whose last answer has a lower round id than an earlier one of its phase: it may be an old answer, or the earlier one wrong.
-- verdict: warn
with doubted as (
  select chain, feed_address, pair, row_number() over (order by chain, feed_address) as place
  from out.feed
  where array_join(doubts, ',') <> ''
),
counted as (
  select count(*) as feeds from out.feed
)
select
  concat(
    cast(count(*) as varchar), ' of ', cast(max(c.feeds) as varchar), ' feeds have gone back to a lower round id: ',
    array_join(
      array_agg(case when d.place <= 10 then concat(coalesce(d.pair, d.feed_address), ' on ', d.chain) end order by d.place), ', '
    ),
    case when count(*) > 10 then ' and others' else '' end
  ) as reason,
  cast(count(*) as double) / max(c.feeds) as weight
from doubted d
cross join counted c
having count(*) > 0
