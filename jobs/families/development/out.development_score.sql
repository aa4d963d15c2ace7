-- The score of one protocol or blockchain on one of the last seven UTC days (2.3, 4.6, decision 57), including the current day so far.
-- All records share one week, which ends with the newest day that has a score.
-- kind: full   grain: kind, path, day
with listed as (
  select kind, path, day, name, score, max(day) over () as newest_day
  from derived.development_score
  where day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  'all' as list, kind, path, day, lower(name) as "Name", round(score, 6) as score,
  cast(cast(from_unixtime(day) as timestamp(0)) as varchar) as timestamp
from listed
where day > newest_day - 604800
