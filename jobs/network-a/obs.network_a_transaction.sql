-- One transaction with its caps in exact wei. A legacy transaction's price is its fee cap and its tip cap (as go-ethereum has it), so that
-- one rule prices every type. quoted_price_wei is what the source says was paid.
-- Up to 18 digits go through bigint, because DuckDB takes long over text to a wide decimal.
-- kind: append   grain: network, tx_hash   time: observed_at   order: day, network, block_number, tx_hash
with priced as (
  select
    network, tx_hash, block_number, observed_at, observed_at - observed_at % 86400 as day, tx_type,
    to_address is null as is_creation,
    input <> '0x' as has_input,
    status, gas_used,
    case when tx_type < 2 then coalesce(max_fee_per_gas, gas_price) else max_fee_per_gas end as fee_cap,
    case when tx_type < 2 then coalesce(max_priority_fee_per_gas, gas_price) else max_priority_fee_per_gas end as tip_cap,
    coalesce(effective_gas_price, gas_price) as quoted_price,
    blob_gas_used, source_id, fetched_at
  from landing.network_a_transaction
)
select
  network, tx_hash, block_number, observed_at, day, tx_type, is_creation, has_input, status, gas_used,
  case when length(fee_cap) <= 18 then cast(cast(fee_cap as bigint) as decimal(38, 0)) else cast(fee_cap as decimal(38, 0)) end
    as fee_cap_wei,
  case when length(tip_cap) <= 18 then cast(cast(tip_cap as bigint) as decimal(38, 0)) else cast(tip_cap as decimal(38, 0)) end
    as tip_cap_wei,
  case
    when length(quoted_price) <= 18 then cast(cast(quoted_price as bigint) as decimal(38, 0))
    else cast(quoted_price as decimal(38, 0))
  end as quoted_price_wei,
  blob_gas_used, source_id, fetched_at
from priced
