-- The blocks of one network on one UTC day: exact counts, gas and wei. For each quantity: minimum, maximum, sum, and the number of blocks
-- with a known value; before EIP-1559, base fee and burning are unknown. Block time is measured from the last block of the day before if
-- block numbers are consecutive, otherwise from the first block of the day. burnt_wei is base fee times gas, for execution and blobs.
-- kind: window   grain: network, day   time: day   order: day, network
with landed as (
  select
    network, block_number,
    count(*) as transactions,
    cast(count(*) filter (where is_creation and (status is null or status = 1)) as bigint) as deployed
  from obs.network_a_transaction
  where observed_at >= @start and observed_at < @end
  group by network, block_number
),
block as (
  select
    b.network, b.day, b.block_number, b.observed_at, b.gas_limit, b.gas_used, b.gas_limit - b.gas_used as gas_not_used,
    b.base_fee_wei,
    b.base_fee_wei * b.gas_used + coalesce(b.blob_base_fee_wei * b.blob_gas_used, 0) as burnt_wei,
    coalesce(b.transaction_count, l.transactions) as transactions,
    l.transactions as landed_transactions,
    case when b.transaction_count = 0 then 0 else coalesce(b.created_contracts, l.deployed) end as deployed,
    b.created_contracts,
    b.destroyed_contracts as destroyed
  from obs.network_a_block b
  left join landed l on l.network = b.network and l.block_number = b.block_number
  where b.observed_at >= @start and b.observed_at < @end
),
summed as (
  select
    network, day,
    count(*) as blocks,
    min(block_number) as first_block,
    max(block_number) as last_block,
    min_by(observed_at, block_number) as first_at,
    max_by(observed_at, block_number) as last_at,
    cast(sum(transactions) as bigint) as transactions,
    cast(sum(landed_transactions) as bigint) as landed_transactions,
    count(base_fee_wei) as base_fee_count,
    min(base_fee_wei) as base_fee_min_wei,
    max(base_fee_wei) as base_fee_max_wei,
    cast(sum(base_fee_wei) as decimal(38, 0)) as base_fee_total_wei,
    count(gas_used) as gas_used_count,
    min(gas_used) as gas_used_min,
    max(gas_used) as gas_used_max,
    cast(sum(gas_used) as bigint) as gas_used_total,
    count(gas_not_used) as gas_not_used_count,
    min(gas_not_used) as gas_not_used_min,
    max(gas_not_used) as gas_not_used_max,
    cast(sum(gas_not_used) as bigint) as gas_not_used_total,
    count(gas_limit) as gas_limit_count,
    min(gas_limit) as gas_limit_min,
    max(gas_limit) as gas_limit_max,
    cast(sum(gas_limit) as bigint) as gas_limit_total,
    count(burnt_wei) as burnt_count,
    min(burnt_wei) as burnt_min_wei,
    max(burnt_wei) as burnt_max_wei,
    cast(sum(burnt_wei) as decimal(38, 0)) as burnt_total_wei,
    count(created_contracts) as created_count,
    count(deployed) as deployed_count,
    min(deployed) as deployed_min,
    max(deployed) as deployed_max,
    cast(sum(deployed) as bigint) as deployed_total,
    count(destroyed) as destroyed_count,
    min(destroyed) as destroyed_min,
    max(destroyed) as destroyed_max,
    cast(sum(destroyed) as bigint) as destroyed_total
  from block
  group by network, day
),
summarised as (
  select network, day, cast(sum(transactions) as bigint) as transactions
  from derived.network_a_summary_day
  where day >= @start and day < @end
  group by network, day
),
edge as (
  select network, day, last_block, last_at from summed
  union all
  select network, day, last_block, last_at from derived.network_a_block_day where day = @start - 86400
),
placed as (
  select
    s.*,
    -- On a day without landed transactions or counts, empty blocks do not show that no contract was created, unless all blocks are empty.
    s.landed_transactions is not null or s.created_count > 0 or s.transactions = 0 as knows_contracts,
    x.transactions as summarised_transactions,
    e.network is not null as follows_on,
    coalesce(e.last_block, s.first_block) as base_block,
    coalesce(e.last_at, s.first_at) as base_at
  from summed s
  left join edge e on e.network = s.network and e.day = s.day - 86400 and e.last_block = s.first_block - 1
  left join summarised x on x.network = s.network and x.day = s.day
)
select
  network, day, blocks, first_block, last_block, first_at, last_at, follows_on,
  cast(last_at - base_at as double) / nullif(last_block - base_block, 0) as block_time_s,
  coalesce(transactions, summarised_transactions) as transactions,
  coalesce(landed_transactions, summarised_transactions) as landed_transactions,
  base_fee_count, base_fee_min_wei, base_fee_max_wei, base_fee_total_wei,
  gas_used_count, gas_used_min, gas_used_max, gas_used_total,
  gas_not_used_count, gas_not_used_min, gas_not_used_max, gas_not_used_total,
  gas_limit_count, gas_limit_min, gas_limit_max, gas_limit_total,
  burnt_count, burnt_min_wei, burnt_max_wei, burnt_total_wei,
  case when knows_contracts then deployed_count else 0 end as deployed_count,
  case when knows_contracts then deployed_min end as deployed_min,
  case when knows_contracts then deployed_max end as deployed_max,
  case when knows_contracts then deployed_total end as deployed_total,
  destroyed_count, destroyed_min, destroyed_max, destroyed_total
from placed
