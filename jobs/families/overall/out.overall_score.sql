-- The overall score of one protocol on one of the last seven UTC days (2.4, decision 57), including the current day so far. A day without a
-- score has no row.
-- kind: full   grain: protocol, day
with listed as (
  select protocol, day, score, max(day) over (partition by protocol) as newest_day
  from derived.overall_day
  where day >= @now - @now % 86400 - 604800 and day <= @now and gap is null
)
select
  protocol, day, score,
  concat(replace(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp
from listed
where day > newest_day - 604800
