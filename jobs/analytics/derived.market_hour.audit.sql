-- An hour of a market that contradicts itself: not a full hour, there twice, with a state of the future, or with a change that nothing
-- supplied can have.
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
