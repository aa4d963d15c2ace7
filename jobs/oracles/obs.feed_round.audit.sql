-- A feed with a round of other decimals than its registry entry, so its price is off by a power of ten.
select
  r.chain, r.feed_address, max(v.pair) as pair, count(*) as rounds, min(r.observed_at) as first_at, max(r.observed_at) as last_at,
  max(r.decimals) as round_decimals, max(v.decimals) as registry_decimals
from obs.feed_round r
join derived.feed_version v
  on v.chain = r.chain and v.feed_address = r.feed_address and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
where r.day >= @start and r.observed_at < @end and r.decimals <> v.decimals
group by r.chain, r.feed_address
