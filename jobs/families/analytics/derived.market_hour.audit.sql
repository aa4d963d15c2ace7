-- An inconsistent market hour: not a full hour, a duplicate, a state from the future, or a flow although nothing was supplied before.
select chain, market_id, hour, 'not a full hour' as problem
from derived.market_hour
where hour >= @start and hour < @end and hour % 3600 <> 0
union all
select chain, market_id, hour, 'twice' as problem
from derived.market_hour
where hour >= @start and hour < @end
group by chain, market_id, hour
having count(*) > 1
union all
select chain, market_id, hour, 'future' as problem
from derived.market_hour
where hour >= @start and hour < @end and state_at > hour
union all
select chain, market_id, hour, 'flow' as problem
from derived.market_hour
where hour >= @start and hour < @end and flow is not null and (previous_supplied_usd is null or previous_supplied_usd <= 0)
