-- One change of one parameter of one market, at the time of the first report with the new value. `is_plausible` is
-- false if a fraction is reported as 1 or more: the source decoded the old or the new value wrongly.
-- kind: window   grain: chain, market_id, changed_at, parameter   time: changed_at   order: changed_at, chain, market_id, parameter
with row_of_market as (
  select
    chain, market_id, observed_at, loan_to_value, liquidation_threshold, liquidation_bonus, reserve_factor, liquidation_protocol_fee, supply_cap, borrow_cap,
    debt_ceiling, emode_category, is_active, is_frozen, is_paused, is_borrowing_enabled, is_borrowable_in_isolation, is_siloed
  from obs.market_parameter
  where observed_at >= @start and observed_at < @end
  union all
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
  where observed_at < @start
  group by chain, market_id
),
named as (
  select *
  from (
    values
      ('loan_to_value', true), ('liquidation_threshold', true), ('liquidation_bonus', true), ('reserve_factor', true),
      ('liquidation_protocol_fee', true), ('supply_cap', false), ('borrow_cap', false), ('debt_ceiling', false), ('emode_category', false),
      ('is_active', false), ('is_frozen', false), ('is_paused', false), ('is_borrowing_enabled', false),
      ('is_borrowable_in_isolation', false), ('is_siloed', false)
  ) as parameter(name, is_fraction)
),
parameter as (
  select
    r.chain, r.market_id, r.observed_at, n.name as parameter, n.is_fraction,
    case n.name
      when 'loan_to_value' then r.loan_to_value
      when 'liquidation_threshold' then r.liquidation_threshold
      when 'liquidation_bonus' then r.liquidation_bonus
      when 'reserve_factor' then r.reserve_factor
      when 'liquidation_protocol_fee' then r.liquidation_protocol_fee
      when 'supply_cap' then r.supply_cap
      when 'borrow_cap' then r.borrow_cap
      when 'debt_ceiling' then r.debt_ceiling
      when 'emode_category' then cast(r.emode_category as double)
      when 'is_active' then case when r.is_active then 1e0 when not r.is_active then 0e0 end
      when 'is_frozen' then case when r.is_frozen then 1e0 when not r.is_frozen then 0e0 end
      when 'is_paused' then case when r.is_paused then 1e0 when not r.is_paused then 0e0 end
      when 'is_borrowing_enabled' then case when r.is_borrowing_enabled then 1e0 when not r.is_borrowing_enabled then 0e0 end
      when 'is_borrowable_in_isolation'
        then case when r.is_borrowable_in_isolation then 1e0 when not r.is_borrowable_in_isolation then 0e0 end
      when 'is_siloed' then case when r.is_siloed then 1e0 when not r.is_siloed then 0e0 end
    end as value
  from row_of_market r
  cross join named n
),
compared as (
  select
    *,
    lag(value) over (partition by chain, market_id, parameter order by observed_at) as old_value
  from parameter
  where value is not null
)
select
  chain, market_id, observed_at as changed_at, observed_at - observed_at % 86400 as day, parameter, old_value, value as new_value,
  not (is_fraction and (old_value >= 1 or value >= 1)) as is_plausible
from compared
where observed_at >= @start and old_value is not null and old_value <> value
