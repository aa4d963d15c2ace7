-- Whether one vault is short of liquidity after one state, compared with its assets (basis `share`) and with the loans that its shares secure
-- (basis `collateral`): is_low from the last of as many consecutive states below the limit as the policy requires, until as many in the calm
-- band. Shares are compared to 12 places, because a quotient may be less than the limit that it is. A state without a known share or cover, or of a small vault, says nothing. A silence longer than the maximum age confirms nothing:
-- counting restarts after it. Every day opens with a row (no observation) that carries the state over.
-- kind: window   grain: chain, vault_address, basis, observed_at, is_observation   time: day   by_hour: observed_at   order: day, chain, vault_address, basis, observed_at, is_observation
with before as (
  select *, row_number() over (partition by chain, vault_address, basis order by observed_at desc, is_observation desc) as turn
  from derived.vault_liquidity_step
  where day = @start - 86400
),
input as (
  select
    chain, vault_address, basis, observed_at, zone, last_at, run_length as weight, case when is_low then 'enter' else 'exit' end as carried_signal,
    since_at as carried_since_at
  from before
  where turn = 1
  union all
  select
    v.chain, v.vault_address, 'share' as basis, v.observed_at,
    case
      when round(v.withdrawable_share, 12) < p.low_below then 'beyond'
      when round(v.withdrawable_share, 12) >= p.rearm_from then 'inside'
      else 'between'
    end as zone,
    v.observed_at as last_at, 1 as weight, cast(null as varchar) as carried_signal, cast(null as bigint) as carried_since_at
  from derived.vault_point v
  cross join policy.vaults p
  where v.observed_at >= @start and v.observed_at < @end and v.withdrawable_share is not null and v.total_assets_usd >= p.min_assets_usd
  union all
  select
    chain, vault_address, 'collateral' as basis, observed_at, zone, observed_at as last_at, 1 as weight, cast(null as varchar) as carried_signal,
    cast(null as bigint) as carried_since_at
  from derived.vault_collateral_point
  where observed_at >= @start and observed_at < @end and zone is not null
),
-- Numbers sort faster than texts.
series as (
  select chain, vault_address, basis, row_number() over (order by chain, vault_address, basis) as number
  from input
  group by chain, vault_address, basis
),
neighboured as (
  select
    s.number, i.observed_at, i.zone, i.last_at, i.weight, i.carried_signal, i.carried_since_at, row_number() over in_order as turn,
    lag(i.zone) over in_order as previous_zone, i.last_at - lag(i.last_at) over in_order as gap_s
  from input i
  join series s on s.chain = i.chain and s.vault_address = i.vault_address and s.basis = i.basis
  window in_order as (partition by s.number order by i.last_at, i.carried_signal nulls last)
),
parted as (
  select
    n.*,
    sum(case when n.zone = n.previous_zone and n.gap_s <= p.state_max_age_s then 0 else 1 end) over (
      partition by n.number order by n.turn rows between unbounded preceding and current row
    ) as run
  from neighboured n
  cross join policy.vaults p
),
counted as (
  select
    number, observed_at, last_at, turn, zone, carried_signal, carried_since_at,
    cast(sum(weight) over (
      partition by number, run order by turn rows between unbounded preceding and current row
    ) as bigint) as run_length
  from parted
),
signalled as (
  select
    c.*,
    case
      when c.carried_signal is not null then c.carried_signal
      when c.zone = 'beyond' and c.run_length >= p.confirm_observations then 'enter'
      when c.zone = 'inside' and c.run_length >= p.confirm_observations then 'exit'
    end as signal
  from counted c
  cross join policy.vaults p
),
latched as (
  select
    *,
    coalesce(
      max_by(signal, case when signal is not null then turn end) over (
        partition by number order by turn rows between unbounded preceding and current row
      ),
      'exit'
    ) as latch
  from signalled
),
edged as (
  select
    *,
    case
      when carried_signal is not null then null
      when latch = 'enter' and coalesce(previous_latch, 'exit') = 'exit' then 'start'
      when latch = 'exit' and previous_latch = 'enter' then 'end'
    end as edge
  from (
    select *, lag(latch) over (partition by number order by turn) as previous_latch from latched
  ) l
),
stated as (
  select
    number, observed_at, last_at, zone, run_length, latch = 'enter' as is_low, edge,
    max(case when edge is not null then observed_at else carried_since_at end) over (
      partition by number order by turn rows between unbounded preceding and current row
    ) as since_at,
    lead(observed_at, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by number order by turn) as until_at
  from edged
),
opened as (
  select *, true as is_observation from stated where observed_at >= @start
  union all
  select
    s.number, t.midnight as observed_at, s.last_at, s.zone, s.run_length, s.is_low, cast(null as varchar) as edge, s.since_at,
    s.until_at, false as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where t.midnight > s.observed_at and t.midnight < @end - 1 - (@end - 1) % 86400 + 86400
)
select
  s.chain, s.vault_address, s.basis, o.observed_at, o.observed_at - o.observed_at % 86400 as day, o.zone, o.run_length, o.last_at, o.is_low, o.since_at,
  o.edge, o.is_observation
from opened o
join series s on s.number = o.number
