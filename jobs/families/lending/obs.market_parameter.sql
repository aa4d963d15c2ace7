-- The parameters of one market at one instant, as a source decoded them.
-- kind: append   grain: chain, market_id, observed_at   time: observed_at   order: day, chain, market_id, observed_at
select
  chain, market_id, observed_at, observed_at - observed_at % 86400 as day,
  loan_to_value, liquidation_threshold, liquidation_bonus, reserve_factor, liquidation_protocol_fee, supply_cap, borrow_cap,
  debt_ceiling, emode_category, is_active, is_frozen, is_paused, is_borrowing_enabled, is_borrowable_in_isolation, is_siloed,
  source_id, fetched_at
from landing.market_parameter
