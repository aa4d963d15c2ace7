-- The first valid answer of one feed, as of the end of the window. Later answers do not change it, so models that read it stay unchanged.
-- kind: full   grain: chain, feed_address
select chain, feed_address, first_at
from derived.feed_state
where day = (@end - 1) - (@end - 1) % 86400 and first_at is not null
