-- What the oracle of one market answered at one block; price_number is its price as a double.
-- kind: append   grain: chain, market_id, oracle_address, observed_at   time: observed_at   order: day, chain, market_id, observed_at, oracle_address
select
  chain, market_id, oracle_address, observed_at, observed_at - observed_at % 86400 as day, block_number, price, price_decimal,
  cast(price_decimal as double) as price_number, unread_reason, loan_decimals, collateral_decimals, kind, kind_by, leg_count, scale_factor,
  base_factors, quote_factors, computed_price, implementation, code_hash, changed_by, changed_how, change_delay_s, standby_address,
  cast(standby_price as double) / nullif(cast(price as double), 0e0) as standby_share, standby_price is null as is_standby_unread,
  cast(deviation_threshold as double) / 1e18 as deviation_threshold, challenge_timelock_s, healing_timelock_s, challenge_expires_at,
  change_tx_hash, change_caller, change_cause, source_id, fetched_at
from landing.oracle_price
