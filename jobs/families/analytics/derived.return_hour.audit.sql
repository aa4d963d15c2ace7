-- An inconsistent hour of an asset: not a full hour, a duplicate, no price above 0, an answer from the future, or a loss of 100% or more.
select symbol, hour, 'not a full hour' as problem
from derived.return_hour
where hour >= @start and hour < @end and hour % 3600 <> 0
union all
select symbol, hour, 'twice' as problem
from derived.return_hour
where hour >= @start and hour < @end
group by symbol, hour
having count(*) > 1
union all
select symbol, hour, 'price' as problem
from derived.return_hour
where hour >= @start and hour < @end and not coalesce(price_usd > 0, false)
union all
select symbol, hour, 'future' as problem
from derived.return_hour
where hour >= @start and hour < @end and answered_at > hour
union all
select symbol, hour, 'return' as problem
from derived.return_hour
where hour >= @start and hour < @end and hour_return <= -1
