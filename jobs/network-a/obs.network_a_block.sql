-- One block of the final chain, amounts as exact wei.
-- Up to 18 digits go through bigint, because DuckDB takes long over text to a wide decimal.
-- kind: append   grain: network, block_number   time: observed_at   order: day, network, block_number
select
  network, block_number, observed_at, observed_at - observed_at % 86400 as day, gas_limit, gas_used,
  case
    when length(base_fee_per_gas) <= 18 then cast(cast(base_fee_per_gas as bigint) as decimal(38, 0))
    else cast(base_fee_per_gas as decimal(38, 0))
  end as base_fee_wei,
  transaction_count, destroyed_contracts, blob_gas_used,
  case
    when length(blob_base_fee_per_gas) <= 18 then cast(cast(blob_base_fee_per_gas as bigint) as decimal(38, 0))
    else cast(blob_base_fee_per_gas as decimal(38, 0))
  end as blob_base_fee_wei,
  source_id, fetched_at
from landing.network_a_block
