-- One market or pool of a protocol at one instant. utilization is null for a pool that does not lend. The exit depth is at most what is
-- supplied and not borrowed, or what is in a pool that does not lend, whatever is reported; is_more_than_free says that it was reported as
-- more. A cent and a millionth of the supply are rounding.
-- kind: append   grain: protocol, pool_id, observed_at   time: observed_at   order: day, protocol, pool_id, observed_at
with free as (
  select
    *,
    case
      when borrowed_usd is not null then case when tvl_usd > borrowed_usd then tvl_usd - borrowed_usd else 0e0 end
      when used_share is not null then case when used_share < 1 then tvl_usd * (1 - used_share) else 0e0 end
      else tvl_usd
    end as free_usd
  from landing.overall_pool
)
select
  protocol, pool_id, observed_at, observed_at - observed_at % 86400 as day, tvl_usd,
  case when exit_depth_usd > free_usd then free_usd else exit_depth_usd end as depth_usd,
  exit_depth_usd > free_usd + 0.01 + 1e-6 * tvl_usd as is_more_than_free,
  used_share as utilization, source_id, fetched_at
from free
