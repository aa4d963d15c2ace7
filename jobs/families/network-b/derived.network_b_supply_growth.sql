-- The growth of the total supply up to one UTC day since the oldest observation of the previous thirty days, and the seconds in between:
-- at least a day, so that the payment of a single epoch is not extrapolated to a year.
-- kind: window   grain: network, day   time: day   order: day, network
with supply as (
  select
    network, day, total_supply_yocto, total_supply_at,
    min_by(total_supply_yocto, total_supply_at) over month_before as base_yocto,
    min(total_supply_at) over month_before as base_at
  from derived.network_b_block_day
  where total_supply_yocto is not null and day >= @start - 2592000 and day < @end
  window month_before as (partition by network order by day range between 2592000 preceding and current row)
)
select
  network, day,
  exact_double(total_supply_yocto) / exact_double(base_yocto) as growth,
  total_supply_at - base_at as span_s
from supply
where day >= @start and total_supply_at - base_at >= 86400 and base_yocto > 0
