-- One answer of one feed at the instant it speaks about. A round that was never answered carries no time: it takes the time of the
-- nearest lower round of its feed in the same batch, else of the nearest higher one, else that of the fetch.
-- kind: append   grain: chain, feed_address, round_id   time: observed_at   order: day, chain, feed_address, observed_at, round_id
with unanswered as (
  select chain, feed_address, round_id, cast(round_id as decimal(38, 0)) as round_number, source_id, fetched_at
  from landing.feed_round
  where updated_at = 0
),
neighbour as (
  select
    u.chain, u.feed_address, u.round_id, r.updated_at,
    cast(r.round_id as decimal(38, 0)) - u.round_number as distance
  from unanswered u
  join landing.feed_round r
    on r.chain = u.chain and r.feed_address = u.feed_address and r.source_id = u.source_id and r.fetched_at = u.fetched_at
  where r.updated_at > 0
),
nearest as (
  select
    chain, feed_address, round_id,
    coalesce(
      max_by(updated_at, case when distance < 0 then distance end),
      min_by(updated_at, case when distance > 0 then distance end)
    ) as observed_at
  from neighbour
  group by chain, feed_address, round_id
),
timed as (
  select
    chain, feed_address, round_id, answer, decimals, price, updated_at as observed_at, updated_at, source_id, fetched_at
  from landing.feed_round
  where updated_at > 0
  union all
  select
    r.chain, r.feed_address, r.round_id, r.answer, r.decimals, r.price,
    coalesce(n.observed_at, r.fetched_at) as observed_at, r.updated_at, r.source_id, r.fetched_at
  from landing.feed_round r
  left join nearest n
    on n.chain = r.chain and n.feed_address = r.feed_address and n.round_id = r.round_id
  where r.updated_at = 0
)
select
  chain, feed_address, cast(round_id as decimal(38, 0)) as round_id, answer, decimals, price,
  observed_at, observed_at - observed_at % 86400 as day, updated_at,
  price > 0 and updated_at > 0 as is_valid,
  source_id, fetched_at
from timed
