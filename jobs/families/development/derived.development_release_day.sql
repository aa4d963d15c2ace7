-- Releases of one repository on one UTC day, excluding those of bots.
-- kind: window   grain: repository, day   time: day   order: day, repository
select repository, day, count(*) as releases
from obs.development_release
where released_at >= @start and released_at < @end and not is_bot
group by repository, day
