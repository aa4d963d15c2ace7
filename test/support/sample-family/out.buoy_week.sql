-- One of the last seven UTC days of a buoy; a day without readings has no record.
-- kind: full   grain: buoy, day
select
  d.buoy, d.day, d.readings, d.highest_m,
  concat(replace(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp,
  (select count(distinct r.author_hash) from obs.buoy_report r where r.buoy = d.buoy and r.day = d.day) as reporters
from derived.buoy_day d
where d.day >= @now - @now % 86400 - 518400 and d.day <= @now
