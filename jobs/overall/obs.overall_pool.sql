-- One market or pool of a protocol at one instant. utilization is null for a pool that does not lend.
-- kind: append   grain: protocol, pool_id, observed_at   time: observed_at   order: day, protocol, pool_id, observed_at
select
  protocol, pool_id, observed_at, observed_at - observed_at % 86400 as day, tvl_usd, exit_depth_usd as depth_usd,
  used_share as utilization, source_id, fetched_at
from landing.overall_pool
