-- Figures of listed days that no source reports, and substitutes for the figure that the contract's field names.
-- verdict: warn
with known as (
  select
    v.network, v.day, v.shards, v.gini, u.balance_gini, s.seat_price_yocto,
    max(v.day) over (partition by v.network) as newest_day
  from derived.network_b_validator_day v
  left join derived.network_b_seat s on s.network = v.network and s.day = v.day
  left join derived.network_b_state_day u on u.network = v.network and u.day = v.day
  where v.validators > 0 and v.day >= @now - @now % 86400 - 604800 and v.day <= @now
),
counted as (
  select
    network,
    count(*) as days,
    count(*) filter (where seat_price_yocto is null) as without_price,
    count(*) filter (where shards is null) as without_shards,
    count(*) filter (where balance_gini is null and gini is not null) as of_stakes
  from known
  where day > newest_day - 604800
  group by network
),
gap as (
  select network, days, without_price as gaps, 'seat_price is missing, the answers lack seats or a protocol version' as words from counted
  union all
  select network, days, without_shards as gaps, 'num_shards is missing, no answer has shards' as words from counted
  union all
  select network, days, of_stakes as gaps, 'gini_coeff is that of the validators'' stakes, no source has one of token balances' as words
  from counted
)
select
  concat(network, ': on ', cast(gaps as varchar), ' of ', cast(days as varchar), ' days ', words) as reason,
  -- A record has twenty-five figures, and each of these is one of them.
  round(cast(gaps as double) / days / 25, 4) as weight
from gap
where gaps > 0
order by network, words
