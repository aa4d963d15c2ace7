-- A feed with two statuses in one second, or one that contradicts the clock: stale with an age below 1 s.
select chain, feed_address, assessed_at, 'twice' as problem
from derived.feed_status
where assessed_at >= @start and assessed_at < @end
group by chain, feed_address, assessed_at
having count(*) > 1
union all
select chain, feed_address, assessed_at, 'age' as problem
from derived.feed_status
where assessed_at >= @start and assessed_at < @end and staleness_status = 'stale' and assessed_at <= threshold_at
