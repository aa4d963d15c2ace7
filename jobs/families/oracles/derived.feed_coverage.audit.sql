-- Impossible coverage: a completeness outside 0 to 100, a duplicate feed, or an update in the future.
select chain, feed_address, 'completeness' as problem
from derived.feed_completeness
where history_completeness_pct < 0 or history_completeness_pct > 100
union all
select chain, scope_id as feed_address, 'twice' as problem
from derived.feed_coverage
group by chain, scope_id
having count(*) > 1
union all
select chain, scope_id as feed_address, 'future' as problem
from derived.feed_coverage
where last_update_at > @now
