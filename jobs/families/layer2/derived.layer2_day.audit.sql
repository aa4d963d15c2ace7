-- A figure that is a duplicate for its day, was measured before its day was over, or is from the future.
select network, metric, day, 'twice' as problem
from derived.layer2_day
group by network, metric, day
having count(*) > 1
union all
select network, metric, day, 'not over' as problem
from derived.layer2_day
where known_at < day + 86399
union all
select network, metric, day, 'future' as problem
from derived.layer2_day
where known_at > @now
