-- One of the last seven UTC days of a bridge (decision 57); a day without transfers has no record.
-- kind: full   grain: bridge, day
with listed as (
  select bridge, day, transfers, volume_usd, max(day) over (partition by bridge) as newest_day
  from derived.bridge_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  bridge, day, transfers, volume_usd,
  concat(replace(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp
from listed
where day > newest_day - 604800
