-- The last observation of the mempool on one UTC day.
-- kind: window   grain: network, day   time: day   order: day, network
select
  network, day,
  max(observed_at) as last_at,
  max_by(pending, observed_at) as pending,
  max_by(queued, observed_at) as queued
from obs.network_a_mempool
where observed_at >= @start and observed_at < @end
group by network, day
