-- Readings of one buoy on one UTC day.
-- kind: window   grain: buoy, day   time: day   order: day, buoy
select buoy, day, count(*) as readings, max(height_m) as highest_m
from obs.buoy_reading
where read_at >= @start and read_at < @end
group by buoy, day
