-- The main figures of one network on one UTC day: blocks, transactions, fees, validators, users and supply.
-- kind: view   grain: network, day
select
  b.network, b.day, b.blocks, b.blocks_per_second, b.transactions,
  cast(cast(b.fees_yocto as varchar) || 'e-24' as double) as fees_native,
  cast(cast(b.total_supply_yocto as varchar) || 'e-24' as double) as total_supply_native,
  v.validators, v.shards, v.gini as stake_gini, s.total_users
from derived.network_b_block_day b
left join derived.network_b_validator_day v on v.network = b.network and v.day = b.day
left join derived.network_b_state_day s on s.network = b.network and s.day = b.day
