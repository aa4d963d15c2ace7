-- One block of the final chain, amounts as exact wei. Digits are read in two halves, because DuckDB casts a whole text to a decimal a
-- hundred times more slowly.
-- kind: append   grain: network, block_number   time: observed_at   order: day, network, block_number
with padded as (
  select *, lpad(base_fee_per_gas, 36, '0') as base_fee_digits, lpad(blob_base_fee_per_gas, 36, '0') as blob_base_fee_digits
  from landing.network_a_block
)
select
  network, block_number, observed_at, observed_at - observed_at % 86400 as day, gas_limit, gas_used,
  cast(substr(base_fee_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(base_fee_digits, 19) as bigint) as base_fee_wei,
  transaction_count, created_contracts, destroyed_contracts, blob_gas_used,
  cast(substr(blob_base_fee_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(blob_base_fee_digits, 19) as bigint) as blob_base_fee_wei,
  source_id, fetched_at
from padded
