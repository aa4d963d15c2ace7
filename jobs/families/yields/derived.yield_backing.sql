-- The backing of one opportunity now: the verdict of the lending market whose contract it is, if any, and whether a pegged asset has no
-- price feed left that is known to be fresh, so that a lost peg would go unnoticed.
-- kind: full   grain: opportunity_id
with latest as (
  select opportunity_id, chain, address, assets
  from (
    select
      d.opportunity_id, d.chain, d.address, d.assets,
      row_number() over (partition by d.opportunity_id order by d.day desc) as place
    from derived.yield_day d
    cross join policy.yields p
    where d.day >= @now - p.keep_s - 86400 and d.observed_at > @now - p.keep_s and d.observed_at <= @now
  ) ranked
  where place = 1
),
watched as (
  select s.symbol, count(*) filter (where c.verdict = 'fresh') as fresh_feeds
  from derived.peg_source s
  left join derived.feed_verdict c on c.chain = s.chain and c.feed_address = s.feed_address
  where s.role = 'price' and s.speaks_from <= @now and s.speaks_to > @now
  group by s.symbol
),
unpriced as (
  select distinct l.opportunity_id
  from latest l
  cross join unnest(split(l.assets, ',')) as t(symbol)
  join watched w on w.symbol = t.symbol and w.fresh_feeds = 0
)
select
  l.opportunity_id, v.verdict as market_verdict, u.opportunity_id is not null as is_price_doubtful
from latest l
left join derived.market_verdict v on v.chain = l.chain and v.market_id = lower(l.address)
left join unpriced u on u.opportunity_id = l.opportunity_id
