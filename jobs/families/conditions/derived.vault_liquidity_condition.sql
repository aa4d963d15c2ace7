-- A vault that is short of liquidity now: the share of its assets that could be withdrawn (basis `share`), or how many times what could be
-- withdrawn covers the collateral at risk (basis `collateral`), at the state that confirmed it, at the worst state since, and at the last one.
-- kind: full   grain: chain, vault_address, basis
with last_step as (
  select
    chain, vault_address, basis, is_low, since_at,
    row_number() over (partition by chain, vault_address, basis order by observed_at desc, is_observation desc) as recency
  from derived.vault_liquidity_step
  where day = @now - @now % 86400 and observed_at <= @now
),
measured as (
  select v.chain, v.vault_address, 'share' as basis, v.observed_at, v.withdrawable, v.withdrawable_share as value from derived.vault_point v
  union all
  select c.chain, c.vault_address, 'collateral', c.observed_at, c.withdrawable_usd, c.cover from derived.vault_collateral_point c
),
seen as (
  select
    s.chain, s.vault_address, s.basis, s.since_at, v.observed_at, v.withdrawable, v.value, coalesce(l.low_usd > 0, false) as has_bad_debt,
    row_number() over (partition by s.chain, s.vault_address, s.basis order by v.observed_at) as turn,
    row_number() over (partition by s.chain, s.vault_address, s.basis order by v.observed_at desc) as recency,
    row_number() over (partition by s.chain, s.vault_address, s.basis order by v.value nulls last, v.observed_at) as badness
  from last_step s
  left join measured v
    on v.chain = s.chain and v.vault_address = s.vault_address and v.basis = s.basis and v.observed_at >= s.since_at and v.observed_at <= @now
  left join derived.vault_loss l on l.chain = v.chain and l.vault_address = v.vault_address and l.observed_at = v.observed_at
  where s.recency = 1 and s.is_low
)
select
  s.chain, s.vault_address, s.basis, r.protocol, coalesce(r.name, s.vault_address) as name, r.asset_symbol, s.since_at,
  concat(s.chain, '|', s.vault_address, '|', cast(s.since_at as varchar), case when s.basis = 'collateral' then '|collateral' else '' end) as event_key,
  case when max(case when s.recency = 1 then s.withdrawable end) = 0 or bool_or(s.recency = 1 and s.has_bad_debt) then 'critical' else 'high' end
    as severity,
  max(case when s.turn = 1 then s.value end) as start_value,
  min(case when s.badness = 1 then s.value end) as worst_value,
  max(case when s.badness = 1 then s.observed_at end) as worst_at,
  max(case when s.recency = 1 then s.value end) as last_value,
  max(case when s.recency = 1 then s.observed_at end) as last_at,
  max(case when s.basis = 'collateral' then p.buffer else p.low_below end) as low_below,
  max(case when s.basis = 'collateral' then p.rearm_buffer else p.rearm_from end) as rearm_from,
  max(p.confirm_observations) as confirm_observations
from seen s
cross join policy.vaults p
left join derived.lending_vault r
  on r.chain = s.chain and r.vault_address = s.vault_address and r.valid_from <= @now and r.valid_to > @now
group by s.chain, s.vault_address, s.basis, r.protocol, r.name, r.asset_symbol, s.since_at
