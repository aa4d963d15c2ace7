-- One reading of a buoy.
-- kind: append   grain: buoy, read_at   time: read_at   order: read_at, buoy
select buoy, read_at, read_at - read_at % 86400 as day, height_m
from landing.buoy_reading
