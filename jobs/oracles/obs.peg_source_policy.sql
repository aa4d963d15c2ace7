-- What configuration says of one feed as a source of prices; null where it says nothing.
-- kind: view   grain: chain, feed_address
select * from landing.peg_source_policy
