-- The overall score of one protocol on one of the last seven UTC days (2.4), the current day as far as it goes. A day without a score has
-- no record.
-- kind: full   grain: protocol, day
select
  protocol, day, score,
  concat(replace(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp
from derived.overall_day
where day >= @now - @now % 86400 - 518400 and day <= @now and gap is null
