-- The score of one protocol on one of the last seven UTC days (2.3, decision 57), including the current day so far.
-- kind: full   grain: path, day
with listed as (
  select kind, path, day, name, score, max(day) over (partition by path) as newest_day
  from derived.development_score
  where kind = 'protocol' and day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  kind, path, day, lower(name) as "Name", round(score, 6) as score,
  cast(cast(from_unixtime(day) as timestamp(0)) as varchar) as timestamp
from listed
where day > newest_day - 604800
