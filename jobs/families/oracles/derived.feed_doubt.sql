-- An instant at which a feed is judged although it has gone back (round_went_back).
-- kind: window   grain: chain, feed_address, doubted_at   time: doubted_at   order: doubted_at, chain, feed_address
with instant as (
  select chain, feed_address, assessed_at as doubted_at from derived.feed_silence where assessed_at >= @start and assessed_at < @end
  union
  select chain, feed_address, observed_at as doubted_at from derived.feed_invalid where observed_at >= @start and observed_at < @end
  union
  select chain, feed_address, changed_at as doubted_at
  from derived.feed_fingerprint
  where is_reportable and changed_at >= @start and changed_at < @end
)
select i.chain, i.feed_address, i.doubted_at, 'round_went_back' as doubts
from instant i
join derived.feed_reversal r
  on r.chain = i.chain and r.feed_address = i.feed_address and r.from_at <= i.doubted_at and r.until_at > i.doubted_at
where r.from_at >= @start and r.from_at < @end
