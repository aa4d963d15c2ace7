-- Transfers over one bridge on one UTC day.
-- kind: window   grain: bridge, day   time: day   order: day, bridge
select bridge, day, count(*) as transfers, round(sum(amount_usd), 2) as volume_usd
from obs.bridge_transfer
where sent_at >= @start and sent_at < @end
group by bridge, day
