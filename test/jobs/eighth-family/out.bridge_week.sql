-- One of the last seven UTC days of a bridge; a day without transfers has no record.
-- kind: full   grain: bridge, day
select
  bridge, day, transfers, volume_usd,
  concat(replace(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp
from derived.bridge_day
where day >= @now - @now % 86400 - 518400 and day <= @now
