-- The lowest and the highest answer that the contract behind a feed can give, from one reading of it on.
-- kind: append   grain: chain, feed_address, observed_at   time: observed_at   order: chain, feed_address, observed_at
select chain, feed_address, aggregator_address, min_answer, max_answer, observed_at, source_id, fetched_at
from landing.feed_bounds
