-- The score of one blockchain on one of the last seven UTC days (2.3), the current day as far as it goes.
-- kind: full   grain: path, day
select
  kind, path, day, lower(name) as "Name", round(score, 6) as score,
  cast(cast(from_unixtime(day) as timestamp(0)) as varchar) as timestamp
from derived.development_score
where kind = 'blockchain' and day >= @now - @now % 86400 - 518400 and day <= @now
