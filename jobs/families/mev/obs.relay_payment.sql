-- One block that a relay delivered to its proposer, with the payment as exact wei. Digits are read in two halves, because DuckDB casts a
-- whole text to a decimal a hundred times more slowly.
-- kind: append   grain: network, relay, slot, block_hash   time: observed_at   order: day, network, slot, relay, block_hash
with padded as (
  select *, lpad(value_wei, 36, '0') as digits
  from landing.relay_payment
)
select
  network, relay, slot, block_hash, observed_at, observed_at - observed_at % 86400 as day, builder,
  cast(substr(digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0)) + cast(substr(digits, 19) as bigint) as value_wei,
  source_id, fetched_at
from padded
