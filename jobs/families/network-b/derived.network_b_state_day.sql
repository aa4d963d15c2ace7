-- The last observation of supply, treasury, users and the distribution of balances on one UTC day.
-- kind: window   grain: network, day   time: day   order: day, network
select
  network, day,
  max(observed_at) as last_at,
  max_by(circulating_supply_yocto, case when circulating_supply_yocto is not null then observed_at end) as circulating_supply_yocto,
  max_by(treasury_funds_yocto, case when treasury_funds_yocto is not null then observed_at end) as treasury_funds_yocto,
  max_by(balance_gini, case when balance_gini is not null then observed_at end) as balance_gini,
  max_by(total_users, case when total_users is not null then observed_at end) as total_users
from obs.network_b_state
where observed_at >= @start and observed_at < @end
group by network, day
