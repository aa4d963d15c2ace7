-- One of the last seven UTC days of a network (2.8, decision 57) with at least one observation. Amounts are in native units (10^24 of the
-- smallest unit); the total stake keeps every digit. The timestamp is that of the day's last block. If no source has the Gini coefficient
-- of balances, that of the validators' stakes is used instead (reported by derived.network_b_seat.audit). Inflation is the measured growth
-- of the supply, scaled to a year and to thirty days.
-- kind: full   grain: network, day
with seen as (
  select network, day, last_at from derived.network_b_block_day
  union all
  select network, day, last_at from derived.network_b_validator_day
  union all
  select network, day, last_at from derived.network_b_state_day
),
known as (
  select network, day, max(last_at) as last_at, max(day) over (partition by network) as newest_day
  from seen
  where day >= @now - @now % 86400 - 604800 and day <= @now
  group by network, day
),
week as (
  select network, day, last_at
  from known
  where day > newest_day - 604800
),
staked as (
  select v.*, lpad(cast(v.total_stake_yocto as varchar), 38, '0') as stake_digits
  from derived.network_b_validator_day v
)
select
  w.network, w.day,
  v.candidates as num_val_candidates,
  v.validators as num_validators,
  v.shards as num_shards,
  v.assigned_shards as num_validator_shards,
  round(b.blocks_per_second, 6) as beacon_new_block_speed,
  v.slashed as num_slashes,
  v.fishermen as fishermen_reporters,
  round(coalesce(u.balance_gini, v.gini), 6) as gini_coeff,
  u.total_users - before.total_users as daily_new_users,
  u.total_users as total_num_users,
  v.proposals as num_proposals,
  round(power(g.growth, 31536000e0 / g.span_s) - 1, 6) as inflation_rate,
  round(power(g.growth, 2592000e0 / g.span_s) - 1, 6) as monthly_inflation_rate,
  round(exact_double(v.total_stake_yocto) / exact_double(b.total_supply_yocto), 6) as staked_native_rate,
  cast(cast(u.treasury_funds_yocto as varchar) || 'e-24' as double) as treasury_funds,
  cast(cast(b.validator_reward_yocto as varchar) || 'e-24' as double) / nullif(v.validators, 0) as avg_validator_reward,
  cast(cast(b.fees_yocto as varchar) || 'e-24' as double) as total_tx_fees,
  cast(cast(b.fees_yocto as varchar) || 'e-24' as double) / nullif(b.transactions, 0) as avg_tx_fees,
  cast(cast(b.total_supply_yocto as varchar) || 'e-24' as double) as total_supply,
  cast(cast(u.circulating_supply_yocto as varchar) || 'e-24' as double) as circulating_supply,
  regexp_replace(
    cast(cast(substr(v.stake_digits, 1, 14) as bigint) as varchar) || '.' || substr(v.stake_digits, 15, 24), '[.]?0+$', ''
  ) as total_stake,
  cast(cast(s.seat_price_yocto as varchar) || 'e-24' as double) as seat_price,
  b.transactions as daily_new_tx,
  cast(cast(b.gas_price_yocto as varchar) || 'e-24' as double) as latest_gas_price,
  cast(cast(b.gas_cost_yocto as varchar) || 'e-24' as double) as daily_gas_used,
  concat(
    replace(cast(cast(from_unixtime(coalesce(b.last_at, w.last_at)) as timestamp(0)) as varchar), ' ', 'T'),
    '.', lpad(cast(coalesce(b.last_nanosecond, 0) as varchar), 9, '0'), 'Z'
  ) as timestamp
from week w
left join derived.network_b_block_day b on b.network = w.network and b.day = w.day
left join staked v on v.network = w.network and v.day = w.day
left join derived.network_b_seat s on s.network = w.network and s.day = w.day
left join derived.network_b_state_day u on u.network = w.network and u.day = w.day
left join derived.network_b_state_day before on before.network = w.network and before.day = w.day - 86400
left join derived.network_b_supply_growth g on g.network = w.network and g.day = w.day
