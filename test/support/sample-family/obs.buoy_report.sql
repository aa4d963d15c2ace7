-- What was reported about a buoy.
-- kind: append   grain: buoy, seen_at, author_hash   time: seen_at   order: seen_at, buoy, author_hash
select buoy, seen_at, seen_at - seen_at % 86400 as day, author_hash
from landing.buoy_report
