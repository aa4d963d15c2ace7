-- One network with the figures of its last complete UTC day. A network without such a day is listed with its gaps. If networks of several
-- kinds share a name, the kind is the one whose history the path of that name serves.
-- kind: full   grain: network
with point as (
  select
    network, 'smart_contract' as kind, 'network-a-network-statistics' as dataset, day, blocks, block_time_s, transactions,
    num_validators as validators, total_stake_native, total_supply_native,
    cast(null as double) as fees_native, cast(null as double) as fees_usd, cast(null as double) as tvl_usd
  from derived.network_a_point
  union all
  select
    network, 'sharded' as kind, 'network-b-statistics' as dataset, day, blocks,
    case when blocks_per_second > 0 then 1 / blocks_per_second end as block_time_s,
    transactions, validators, cast(null as double) as total_stake_native, total_supply_native, fees_native,
    cast(null as double) as fees_usd, cast(null as double) as tvl_usd
  from derived.network_b_point
  union all
  select
    network, 'layer2' as kind, 'layer2-statistics' as dataset, day, cast(null as bigint) as blocks, avg_block_time_s as block_time_s,
    cast(round(transactions) as bigint) as transactions, cast(null as bigint) as validators,
    cast(null as double) as total_stake_native, cast(null as double) as total_supply_native, cast(null as double) as fees_native,
    fees_usd, tvl_usd
  from derived.layer2_point
),
known as (
  select network, max(kind) as kind, max_by(dataset, kind) as dataset
  from (
    select network, kind, dataset from point
    union
    select network, 'layer2' as kind, 'layer2-statistics' as dataset from obs.layer2_network
  ) named
  group by network
),
complete as (
  select network, kind, count(*) as days, min(day) as first_day, max(day) as last_day
  from point
  where day < @now - @now % 86400
  group by network, kind
),
figure as (
  select
    k.network, k.kind, k.dataset, coalesce(c.days, 0) as days, c.first_day, c.last_day, p.blocks, p.block_time_s, p.transactions,
    p.validators, p.total_stake_native, p.total_supply_native, p.fees_native, p.fees_usd, p.tvl_usd,
    k.kind <> 'layer2' as has_blocks
  from known k
  left join complete c on c.network = k.network and c.kind = k.kind
  left join point p on p.network = k.network and p.kind = k.kind and p.day = c.last_day
)
select
  network, kind, dataset, days,
  substr(cast(cast(from_unixtime(first_day) as timestamp(0)) as varchar), 1, 10) as first_day,
  substr(cast(cast(from_unixtime(last_day) as timestamp(0)) as varchar), 1, 10) as day,
  blocks, round(block_time_s, 6) as block_time_s, transactions, validators, total_stake_native, total_supply_native, fees_native,
  round(fees_usd, 2) as fees_usd,
  round(tvl_usd, 2) as tvl_usd,
  array_remove(
    array[
      case when has_blocks and blocks is null then 'blocks' else '' end,
      case when block_time_s is null then 'block_time_s' else '' end,
      case when transactions is null then 'transactions' else '' end,
      case when has_blocks and validators is null then 'validators' else '' end,
      case when kind = 'smart_contract' and total_stake_native is null then 'total_stake_native' else '' end,
      case when has_blocks and total_supply_native is null then 'total_supply_native' else '' end,
      case when kind = 'sharded' and fees_native is null then 'fees_native' else '' end,
      case when kind = 'layer2' and fees_usd is null then 'fees_usd' else '' end,
      case when kind = 'layer2' and tvl_usd is null then 'tvl_usd' else '' end
    ],
    ''
  ) as missing
from figure
