-- The last observation of validators, stake and supply on one UTC day.
-- kind: window   grain: network, day   time: day   order: day, network
select
  network, day,
  max(observed_at) as last_at,
  max_by(num_validators, observed_at) as num_validators,
  max_by(total_stake_native, observed_at) as total_stake_native,
  max_by(total_supply_native, observed_at) as total_supply_native,
  max_by(total_rewards_native, observed_at) as total_rewards_native,
  max_by(apr_pct, observed_at) as apr_pct
from obs.network_a_stake
where observed_at >= @start and observed_at < @end
group by network, day
