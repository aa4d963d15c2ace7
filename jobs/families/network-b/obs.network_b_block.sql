-- One block of the final chain, amounts as exact numbers of the smallest unit. Digits are read in two halves, because DuckDB casts a whole
-- text to a decimal a hundred times more slowly.
-- kind: append   grain: network, height   time: observed_at   order: day, network, height
with padded as (
  select
    *,
    lpad(gas_price, 36, '0') as gas_price_digits,
    lpad(total_supply, 36, '0') as total_supply_digits,
    lpad(fees, 36, '0') as fees_digits,
    lpad(validator_reward, 36, '0') as validator_reward_digits
  from landing.network_b_block
)
select
  network, height, block_time, observed_at, nanosecond, observed_at - observed_at % 86400 as day, transaction_count, gas_used,
  cast(substr(gas_price_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(gas_price_digits, 19) as bigint) as gas_price_yocto,
  cast(substr(total_supply_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(total_supply_digits, 19) as bigint) as total_supply_yocto,
  cast(substr(fees_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(fees_digits, 19) as bigint) as fees_yocto,
  cast(substr(validator_reward_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(validator_reward_digits, 19) as bigint) as validator_reward_yocto,
  source_id, fetched_at
from padded
