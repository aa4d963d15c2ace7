-- The spread between the latest prices of one pair among the feeds behind one market now: the highest over the lowest.
-- Prices of different pairs are not compared, and a feed without a price is left out.
-- kind: full   grain: chain, market_id, pair
select
  o.chain, o.market_id, f.pair, count(*) as feeds, min(s.last_price) as lowest_price, max(s.last_price) as highest_price,
  -- Rounded, so that in doubles a spread of exactly the limit does not exceed it.
  round((max(s.last_price) / nullif(min(s.last_price), 0) - 1) * 10000, 6) as spread_bps
from derived.market_oracle o
join derived.feed f on f.chain = o.chain and f.feed_address = o.feed_address
join derived.feed_state s on s.chain = o.chain and s.feed_address = o.feed_address and s.day = @now - @now % 86400
where o.valid_from <= @now and o.valid_to > @now and s.last_price > 0
group by o.chain, o.market_id, f.pair
having count(*) > 1
