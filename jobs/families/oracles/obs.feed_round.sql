-- One answer of one feed at the instant it refers to. A round that was never answered has no time of its own: it takes the time of the
-- nearest lower round of its feed in the same batch, else of the nearest higher round, else of the fetch. Round ids exceed 2^63 and stay
-- text, which is faster than any number type that holds them; they are ordered by length, then by text.
-- kind: append   grain: chain, feed_address, round_id   time: observed_at   order: day, feed_address, observed_at
with unanswered as (
  select distinct chain, feed_address, source_id, fetched_at
  from landing.feed_round
  where updated_at = 0
),
placed as (
  select
    r.chain, r.feed_address, r.round_id, r.updated_at, r.source_id, r.fetched_at,
    row_number() over (
      partition by r.chain, r.feed_address, r.source_id, r.fetched_at order by length(r.round_id), r.round_id
    ) as place
  from landing.feed_round r
  join unanswered u
    on u.chain = r.chain and u.feed_address = r.feed_address and u.source_id = r.source_id and u.fetched_at = r.fetched_at
),
neighboured as (
  select
    chain, feed_address, round_id, updated_at,
    max_by(updated_at, case when updated_at > 0 then place end) over (
      partition by chain, feed_address, source_id, fetched_at order by place rows between unbounded preceding and current row
    ) as lower_at,
    min_by(updated_at, case when updated_at > 0 then place end) over (
      partition by chain, feed_address, source_id, fetched_at order by place rows between current row and unbounded following
    ) as higher_at
  from placed
),
nearest as (
  select chain, feed_address, round_id, coalesce(lower_at, higher_at) as observed_at
  from neighboured
  where updated_at = 0
),
timed as (
  select
    chain, feed_address, round_id, answered_in_round, answer, decimals, price, updated_at as observed_at, updated_at,
    block_number, tx_hash, log_index, source_id, fetched_at
  from landing.feed_round
  where updated_at > 0
  union all
  select
    r.chain, r.feed_address, r.round_id, r.answered_in_round, r.answer, r.decimals, r.price,
    coalesce(n.observed_at, r.fetched_at) as observed_at, r.updated_at,
    r.block_number, r.tx_hash, r.log_index, r.source_id, r.fetched_at
  from landing.feed_round r
  left join nearest n
    on n.chain = r.chain and n.feed_address = r.feed_address and n.round_id = r.round_id
  where r.updated_at = 0
)
select
  chain, feed_address, round_id, answered_in_round, answer, decimals, price,
  observed_at, observed_at - observed_at % 86400 as day, updated_at,
  block_number, tx_hash, log_index, source_id, fetched_at
from timed
