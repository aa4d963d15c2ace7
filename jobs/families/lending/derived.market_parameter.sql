-- The current parameters of one market: the latest reported value of each.
-- kind: full   grain: chain, market_id
select
  chain, market_id, max(observed_at) as observed_at,
  max_by(loan_to_value, case when loan_to_value is not null then observed_at end) as loan_to_value,
  max_by(liquidation_threshold, case when liquidation_threshold is not null then observed_at end) as liquidation_threshold,
  max_by(liquidation_bonus, case when liquidation_bonus is not null then observed_at end) as liquidation_bonus,
  max_by(reserve_factor, case when reserve_factor is not null then observed_at end) as reserve_factor,
  max_by(liquidation_protocol_fee, case when liquidation_protocol_fee is not null then observed_at end) as liquidation_protocol_fee,
  max_by(supply_cap, case when supply_cap is not null then observed_at end) as supply_cap,
  max_by(borrow_cap, case when borrow_cap is not null then observed_at end) as borrow_cap,
  max_by(debt_ceiling, case when debt_ceiling is not null then observed_at end) as debt_ceiling,
  max_by(emode_category, case when emode_category is not null then observed_at end) as emode_category,
  max_by(is_active, case when is_active is not null then observed_at end) as is_active,
  max_by(is_frozen, case when is_frozen is not null then observed_at end) as is_frozen,
  max_by(is_paused, case when is_paused is not null then observed_at end) as is_paused,
  max_by(is_borrowing_enabled, case when is_borrowing_enabled is not null then observed_at end) as is_borrowing_enabled,
  max_by(is_borrowable_in_isolation, case when is_borrowable_in_isolation is not null then observed_at end) as is_borrowable_in_isolation,
  max_by(is_siloed, case when is_siloed is not null then observed_at end) as is_siloed
from obs.market_parameter
where observed_at <= @now
group by chain, market_id
