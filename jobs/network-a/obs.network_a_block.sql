-- One block of the final chain, amounts as exact wei.
-- kind: append   grain: network, block_number   time: observed_at   order: day, network, block_number
select
  network, block_number, observed_at, observed_at - observed_at % 86400 as day, gas_limit, gas_used,
  cast(base_fee_per_gas as decimal(38, 0)) as base_fee_wei,
  transaction_count, destroyed_contracts, blob_gas_used,
  cast(blob_base_fee_per_gas as decimal(38, 0)) as blob_base_fee_wei,
  source_id, fetched_at
from landing.network_a_block
