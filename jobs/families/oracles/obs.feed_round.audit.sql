-- A feed with a round of other decimals than its registry entry, so its price is off by a power of ten.
with used as (
  select chain, feed_address, decimals, min(observed_at) as first_at, max(observed_at) as last_at
  from obs.feed_round
  where day >= @start and observed_at < @end
  group by chain, feed_address, decimals
),
-- A few feeds at most: the rounds of all others are read once, without their times being compared.
suspect as (
  select distinct u.chain, u.feed_address
  from used u
  join derived.feed_version v
    on v.chain = u.chain and v.feed_address = u.feed_address and v.valid_from <= u.last_at and v.valid_to > u.first_at
  where u.decimals <> v.decimals
)
select
  r.chain, r.feed_address, max(v.pair) as pair, count(*) as rounds, min(r.observed_at) as first_at, max(r.observed_at) as last_at,
  max(r.decimals) as round_decimals, max(v.decimals) as registry_decimals
from suspect s
join obs.feed_round r on r.chain = s.chain and r.feed_address = s.feed_address
join derived.feed_version v
  on v.chain = r.chain and v.feed_address = r.feed_address and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
where r.day >= @start and r.observed_at < @end and r.decimals <> v.decimals
group by r.chain, r.feed_address
