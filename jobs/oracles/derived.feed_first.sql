-- The first valid answer of one feed, as of the end of the window. It stays while other answers come, and so does what reads it.
-- kind: full   grain: chain, feed_address
select chain, feed_address, first_at
from derived.feed_state
where day = (@end - 1) - (@end - 1) % 86400 and first_at is not null
