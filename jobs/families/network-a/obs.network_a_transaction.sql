-- One transaction with its caps in exact wei. The price of a legacy transaction is both its fee cap and its tip cap (as in go-ethereum), so
-- one rule prices every type. quoted_price_wei is the price paid according to the source. Digits are read in two halves, because DuckDB
-- casts a whole text to a decimal a hundred times more slowly.
-- kind: append   grain: network, tx_hash   time: observed_at   order: day, network, block_number, tx_hash
with padded as (
  select
    *,
    lpad(case when tx_type < 2 then coalesce(max_fee_per_gas, gas_price) else max_fee_per_gas end, 36, '0') as fee_cap_digits,
    lpad(case when tx_type < 2 then coalesce(max_priority_fee_per_gas, gas_price) else max_priority_fee_per_gas end, 36, '0')
      as tip_cap_digits,
    lpad(coalesce(effective_gas_price, gas_price), 36, '0') as quoted_price_digits,
    lpad(value, 36, '0') as value_digits
  from landing.network_a_transaction
)
select
  network, tx_hash, block_number, observed_at, observed_at - observed_at % 86400 as day, tx_type,
  to_address is null as is_creation,
  input <> '0x' as has_input,
  status, gas_used,
  cast(substr(fee_cap_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(fee_cap_digits, 19) as bigint) as fee_cap_wei,
  cast(substr(tip_cap_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(tip_cap_digits, 19) as bigint) as tip_cap_wei,
  cast(substr(quoted_price_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(quoted_price_digits, 19) as bigint) as quoted_price_wei,
  from_address as sender,
  cast(substr(value_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(value_digits, 19) as bigint) as value_wei,
  blob_gas_used, source_id, fetched_at
from padded
