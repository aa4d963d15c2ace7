-- A feed whose last round has other decimals than its registry entry, so its prices are off by a power of ten.
select
  s.chain, s.feed_address, v.pair, s.last_round_id, s.last_decimals as round_decimals, v.decimals as registry_decimals
from derived.feed_state s
join derived.feed_version v
  on v.chain = s.chain and v.feed_address = s.feed_address and v.valid_from <= s.last_at and v.valid_to > s.last_at
where s.day >= @start and s.day < @end and s.last_at >= s.day and s.last_decimals <> v.decimals
