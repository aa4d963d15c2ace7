-- One period in which one feed is usable for its pair: the registry lists it under that pair, it has answered, and it is not being
-- deprecated.
-- kind: full   grain: chain, feed_address, speaks_from
select
  v.chain, v.pair, v.feed_address, v.heartbeat_s, v.deviation_bps,
  greatest(v.valid_from, s.first_at) as speaks_from,
  v.valid_to as speaks_to
from derived.feed_version v
join derived.feed_first s on s.chain = v.chain and s.feed_address = v.feed_address
where s.first_at < v.valid_to
  and not v.is_deprecating
