-- Validators, stake and supply at one instant.
-- kind: append   grain: network, observed_at   time: observed_at   order: network, observed_at
select
  network, observed_at, observed_at - observed_at % 86400 as day, num_validators, total_stake_native, total_supply_native,
  total_rewards_native, apr_pct, entry_queue_native, exit_queue_native, entry_wait_days, exit_wait_days, entry_churn,
  exit_churn, source_id, fetched_at
from landing.network_a_stake
