-- An impossible day: the shares of a reward add up to more than the whole, or an observation is from another day or from the future.
select name, day, 'shares' as problem
from derived.restaking_day
where day >= @start and day < @end and staker_rewards + protocol_fees + node_operator_fees > 1.000001
union all
select name, day, 'time' as problem
from derived.restaking_day
where day >= @start and day < @end and (observed_at < day or observed_at >= day + 86400 or observed_at > @now)
