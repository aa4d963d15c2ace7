-- An observation or a recovery of a pegged asset while a source of its price or of its reference has gone back (round_went_back).
-- kind: window   grain: chain, symbol, quote, asset_id, doubted_at   time: doubted_at   order: doubted_at, chain, symbol, quote, asset_id
with peg as (
  select chain, symbol, quote, asset_id, observed_at as doubted_at
  from derived.peg_source_price
  where observed_at >= @start and observed_at < @end
  union
  select chain, symbol, quote, asset_id, recovered_at as doubted_at
  from derived.peg_recovery
  where is_recovery and recovered_at >= @start and recovered_at < @end
)
select distinct p.chain, p.symbol, p.quote, p.asset_id, p.doubted_at, 'round_went_back' as doubts
from peg p
join derived.peg_source s
  on s.chain = p.chain and s.symbol = p.symbol and s.quote = p.quote and s.asset_id = p.asset_id
  and s.speaks_from <= p.doubted_at and s.speaks_to > p.doubted_at
join derived.feed_reversal r
  on r.chain = s.chain and r.feed_address = s.feed_address and r.from_at <= p.doubted_at and r.until_at > p.doubted_at
where r.from_at >= @start and r.from_at < @end
