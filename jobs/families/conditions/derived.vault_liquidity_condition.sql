-- A vault that is short of liquidity now: the share of its assets that could be withdrawn at the state that confirmed it, the lowest share
-- since, and the last one.
-- kind: full   grain: chain, vault_address
with last_step as (
  select
    chain, vault_address, is_low, since_at,
    row_number() over (partition by chain, vault_address order by observed_at desc, is_observation desc) as recency
  from derived.vault_liquidity_step
  where day = @now - @now % 86400 and observed_at <= @now
),
seen as (
  select
    s.chain, s.vault_address, s.since_at, v.observed_at, v.withdrawable, v.withdrawable_share,
    row_number() over (partition by s.chain, s.vault_address order by v.observed_at) as turn,
    row_number() over (partition by s.chain, s.vault_address order by v.observed_at desc) as recency,
    row_number() over (partition by s.chain, s.vault_address order by v.withdrawable_share nulls last, v.observed_at) as badness
  from last_step s
  left join derived.vault_point v
    on v.chain = s.chain and v.vault_address = s.vault_address and v.observed_at >= s.since_at and v.observed_at <= @now
  where s.recency = 1 and s.is_low
)
select
  s.chain, s.vault_address, r.protocol, coalesce(r.name, s.vault_address) as name, r.asset_symbol, s.since_at,
  concat(s.chain, '|', s.vault_address, '|', cast(s.since_at as varchar)) as event_key,
  case when max(case when s.recency = 1 then s.withdrawable end) = 0 then 'critical' else 'high' end as severity,
  max(case when s.turn = 1 then s.withdrawable_share end) as start_share,
  min(case when s.badness = 1 then s.withdrawable_share end) as worst_share,
  max(case when s.badness = 1 then s.observed_at end) as worst_at,
  max(case when s.recency = 1 then s.withdrawable_share end) as last_share,
  max(case when s.recency = 1 then s.observed_at end) as last_at,
  max(p.low_below) as low_below, max(p.rearm_from) as rearm_from, max(p.confirm_observations) as confirm_observations
from seen s
cross join policy.vaults p
left join derived.lending_vault r
  on r.chain = s.chain and r.vault_address = s.vault_address and r.valid_from <= @now and r.valid_to > @now
group by s.chain, s.vault_address, r.protocol, r.name, r.asset_symbol, s.since_at
