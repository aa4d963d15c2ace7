-- The main figures of one network on one UTC day: blocks, transactions, validators, their queues, stake and supply. If only the blocks or
-- only the validators of a day are known, the other figures are null.
-- kind: view   grain: network, day
select
  coalesce(b.network, s.network) as network,
  coalesce(b.day, s.day) as day,
  b.blocks, b.block_time_s, b.transactions,
  cast(cast(b.burnt_total_wei as varchar) || 'e-18' as double) as burned_native,
  s.num_validators, s.total_stake_native, s.total_supply_native, s.apr_pct,
  s.entry_queue_native, s.exit_queue_native, s.entry_wait_days, s.exit_wait_days
from derived.network_a_block_day b
full join derived.network_a_stake_day s on s.network = b.network and s.day = b.day
