-- The validators and the supply of a network on one of the last seven UTC days (2.7, decision 57). The price of a seat is configured by
-- network. The daily reward of a validator is derived from the day's yearly rate. Every block is proposed by a validator.
-- kind: full   grain: network, day
with known as (
  select
    s.*,
    lag(day) over in_order as previous_day,
    lag(total_supply_native) over in_order as previous_supply_native
  from derived.network_a_stake_day s
  -- One more day, for the change of supply on the first day.
  where day >= @now - @now % 86400 - 691200 and day <= @now
  window in_order as (partition by network order by day)
),
week as (
  select k.*, max(day) over (partition by network) as newest_day
  from known k
  where day >= @now - @now % 86400 - 604800
)
select
  w.network, w.day, w.day as timestamp,
  w.num_validators,
  round(1 / b.block_time_s, 6) as beacon_new_block_speed,
  case when m.pending is not null then
    cast(
      row('2.0', '1', cast(row(cast(m.pending as varchar), cast(m.queued as varchar)) as row(pending varchar, queued varchar)))
      as row(jsonrpc varchar, id varchar, result row(pending varchar, queued varchar))
    )
  end as mempool_status,
  b.blocks as num_proposals,
  case when w.previous_day = w.day - 86400 then
    exact_double(exact_decimal(w.total_supply_native, 38, 9) - exact_decimal(w.previous_supply_native, 38, 9))
  end as daily_supply_change,
  cast(cast(b.burnt_total_wei as varchar) || 'e-18' as double) as burned_native,
  w.total_rewards_native as total_staking_rewards,
  round(w.total_stake_native * w.apr_pct / 36500 / nullif(w.num_validators, 0), 9) as avg_validator_reward,
  w.total_supply_native as total_supply,
  w.total_stake_native as total_stake,
  round(w.total_stake_native / nullif(w.num_validators, 0), 9) as avg_stake,
  p.seat_price_native as seat_price
from week w
left join derived.network_a_block_day b on b.network = w.network and b.day = w.day
left join derived.network_a_mempool_day m on m.network = w.network and m.day = w.day
left join policy.network_a_seat p on p.network = w.network
where w.day > w.newest_day - 604800
