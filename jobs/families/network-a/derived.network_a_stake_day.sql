-- The last observation of validators, stake, supply and the queues of validators on one UTC day.
-- kind: window   grain: network, day   time: day   order: day, network
select
  network, day,
  max(observed_at) as last_at,
  max_by(num_validators, observed_at) as num_validators,
  max_by(total_stake_native, observed_at) as total_stake_native,
  max_by(total_supply_native, observed_at) as total_supply_native,
  max_by(total_rewards_native, observed_at) as total_rewards_native,
  max_by(apr_pct, observed_at) as apr_pct,
  max_by(entry_queue_native, observed_at) as entry_queue_native,
  max_by(exit_queue_native, observed_at) as exit_queue_native,
  max_by(entry_wait_days, observed_at) as entry_wait_days,
  max_by(exit_wait_days, observed_at) as exit_wait_days
from obs.network_a_stake
where observed_at >= @start and observed_at < @end
group by network, day
