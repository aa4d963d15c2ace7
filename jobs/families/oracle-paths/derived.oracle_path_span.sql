-- The path of one market over one period: its first reading with these legs, and the path before it. A later reading with the same legs,
-- units, contracts and settings belongs to the same period; the last period has no end. A period also begins where something was read that was
-- not read before, or the other way round.
-- kind: full   grain: chain, market_id, valid_from
with ordered as (
  select
    *,
    lag(path_hash) over (partition by chain, market_id order by observed_at, oracle_address) as previous_hash,
    lag(failed) over (partition by chain, market_id order by observed_at, oracle_address) as previous_failed,
    lag(price_number) over (partition by chain, market_id order by observed_at, oracle_address) as previous_price,
    lag(oracle_address) over (partition by chain, market_id order by observed_at, oracle_address) as previous_oracle_address,
    lag(left_1) over (partition by chain, market_id order by observed_at, oracle_address) as previous_left_1,
    lag(right_1) over (partition by chain, market_id order by observed_at, oracle_address) as previous_right_1,
    lag(observed_at) over (partition by chain, market_id order by observed_at, oracle_address) as previous_at
  from derived.oracle_reading
  where observed_at < @end
)
select
  chain, market_id, observed_at as valid_from, lead(observed_at, 1, 253402300799) over (partition by chain, market_id order by observed_at, oracle_address) as valid_to,
  oracle_address, kind, path_hash, failed, price_number, base_symbol, quote_symbol, left_1, right_1, left_2, right_2, is_constant, standby_address,
  scale_factor, implementation, code_hash, leg_count, change_tx_hash, change_caller, change_cause, block_number, previous_hash, previous_failed,
  previous_price, previous_oracle_address, previous_at,
  coalesce(left_1, '') <> coalesce(previous_left_1, '') or coalesce(right_1, '') <> coalesce(previous_right_1, '') as is_assumption_changed
from ordered
where previous_hash is null or previous_hash <> path_hash
