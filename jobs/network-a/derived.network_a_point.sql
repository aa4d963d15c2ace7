-- The main figures of one network on one UTC day: blocks, transactions, validators, stake and supply.
-- kind: view   grain: network, day
select
  b.network, b.day, b.blocks, b.block_time_s, b.transactions,
  cast(cast(b.burnt_total_wei as varchar) || 'e-18' as double) as burned_native,
  s.num_validators, s.total_stake_native, s.total_supply_native, s.apr_pct
from derived.network_a_block_day b
left join derived.network_a_stake_day s on s.network = b.network and s.day = b.day
