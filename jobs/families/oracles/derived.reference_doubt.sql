-- A fall of a redemption rate at which its feed has gone back (round_went_back). Apart from derived.feed_doubt, because it rests on the assets
-- of pegs.
-- kind: window   grain: chain, feed_address, doubted_at   time: doubted_at   order: doubted_at, chain, feed_address
select distinct f.chain, f.feed_address, f.observed_at as doubted_at, 'round_went_back' as doubts
from derived.reference_fall f
join derived.feed_reversal r
  on r.chain = f.chain and r.feed_address = f.feed_address and r.from_at <= f.observed_at and r.until_at > f.observed_at
where f.observed_at >= @start and f.observed_at < @end and r.from_at >= @start and r.from_at < @end
