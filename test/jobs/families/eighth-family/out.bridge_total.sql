-- The transfers of each bridge that are known, and those of its last day.
-- kind: full   grain: bridge
with numbered as (
  select
    bridge, day, transfers, volume_usd, row_number() over (partition by bridge order by day desc) as n,
    cast(sum(transfers) over (partition by bridge) as bigint) as total
  from derived.bridge_day
)
select bridge, total as transfers, day as last_day, transfers as last_transfers, volume_usd as last_volume_usd
from numbered
where n = 1
