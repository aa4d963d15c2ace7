-- An impossible state: an amount below 0, a utilisation below 0 or above 1 without its flag, debt without supply and without its flag, a
-- state from the future, or a duplicate market.
select chain, market_id, day, 'amount' as problem
from derived.market_day
where day >= @start and day < @end
  and (supplied < 0 or borrowed < 0 or supplied_usd < 0 or borrowed_usd < 0 or withdrawable_usd < 0 or depth_usd < 0)
union all
select chain, market_id, day, 'utilization' as problem
from derived.market_day
where day >= @start and day < @end
  and (utilization < 0 or is_nan(utilization) or (utilization > 1 and strpos(coalesce(flags, ''), 'utilization_above_one') = 0))
union all
select chain, market_id, day, 'debt without supply' as problem
from derived.market_day
where day >= @start and day < @end and supplied = 0 and borrowed > 0 and strpos(coalesce(flags, ''), 'debt_without_supply') = 0
union all
select chain, market_id, day, 'future' as problem
from derived.market_day
where day >= @start and day < @end and last_at >= @end
union all
select chain, market_id, day, 'twice' as problem
from derived.market_day
where day >= @start and day < @end
group by chain, market_id, day
having count(*) > 1
