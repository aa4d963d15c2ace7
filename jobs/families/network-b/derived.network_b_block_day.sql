-- The blocks of one network on one UTC day: sums in the smallest unit, and the values of the last block. Speed is in heights per second
-- since the last block of the day before or, if that is unknown, since the first of the day; gas_cost is gas at the price of its block.
-- kind: window   grain: network, day   time: day   order: day, network
with block as (
  select *, gas_price_yocto * gas_used as gas_cost_yocto
  from obs.network_b_block
  where observed_at >= @start and observed_at < @end
),
summed as (
  select
    network, day,
    count(*) as blocks,
    min(height) as first_height,
    max(height) as last_height,
    min_by(observed_at, height) as first_at,
    min_by(nanosecond, height) as first_nanosecond,
    max_by(observed_at, height) as last_at,
    max_by(nanosecond, height) as last_nanosecond,
    cast(sum(transaction_count) as bigint) as transactions,
    cast(sum(gas_cost_yocto) as decimal(38, 0)) as gas_cost_yocto,
    cast(sum(fees_yocto) as decimal(38, 0)) as fees_yocto,
    cast(sum(validator_reward_yocto) as decimal(38, 0)) as validator_reward_yocto,
    max_by(gas_price_yocto, case when gas_price_yocto is not null then height end) as gas_price_yocto,
    max_by(total_supply_yocto, case when total_supply_yocto is not null then height end) as total_supply_yocto,
    max(case when total_supply_yocto is not null then observed_at end) as total_supply_at
  from block
  group by network, day
),
edge as (
  select network, day, last_height, last_at, last_nanosecond from summed
  union all
  select network, day, last_height, last_at, last_nanosecond from derived.network_b_block_day where day = @start - 86400
),
placed as (
  select
    s.*,
    coalesce(e.last_height, s.first_height) as base_height,
    coalesce(e.last_at, s.first_at) as base_at,
    coalesce(e.last_nanosecond, s.first_nanosecond) as base_nanosecond
  from summed s
  left join edge e on e.network = s.network and e.day = s.day - 86400
)
select
  network, day, blocks, first_height, last_height, first_at, first_nanosecond, last_at, last_nanosecond,
  (last_height - base_height)
    / nullif(cast(last_at - base_at as double) + cast(last_nanosecond - base_nanosecond as double) / 1e9, 0) as blocks_per_second,
  transactions, gas_cost_yocto, fees_yocto, validator_reward_yocto, gas_price_yocto, total_supply_yocto, total_supply_at
from placed
