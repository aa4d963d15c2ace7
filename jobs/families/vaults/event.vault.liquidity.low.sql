-- The state that confirms that a vault is short of liquidity: too little could be withdrawn of its assets, or for the loans that its shares
-- secure. Doubts: sources state other prices of its shares (sources_disagree), or no registry describes the vault (vault_unregistered).
-- kind: event   grain: event_key
with disputed as (
  select distinct s.chain, s.vault_address, s.observed_at
  from derived.vault_liquidity_step s
  cross join policy.vaults p
  join derived.vault_break b
    on b.chain = s.chain and b.vault_address = s.vault_address and b.observed_at <= s.observed_at
    and b.observed_at > s.observed_at - p.state_max_age_s
  where b.reason = 'sources_disagree' and s.edge = 'start' and s.observed_at >= @start and s.observed_at < @end
)
select
  concat(s.chain, '|', s.vault_address, '|', cast(s.observed_at as varchar), case when s.basis = 'collateral' then '|collateral' else '' end) as event_key,
  s.observed_at as event_at,
  case when l.withdrawable = 0 or c.withdrawable_usd = 0 or b.low_usd > 0 then 'critical' else 'high' end as severity,
  'fresh' as freshness_status,
  s.chain, v.protocol,
  concat('vault:', s.chain, ':', s.vault_address) as subject_id,
  substr(concat(
    case when d.chain is not null then ',sources_disagree' else '' end,
    case when v.chain is null then ',vault_unregistered' else '' end
  ), 2) as doubts,
  s.vault_address as data_vault_address,
  s.basis as data_basis,
  round(case when s.basis = 'collateral' then c.withdrawable_usd else l.withdrawable_usd end, 2) as data_withdrawable_usd,
  round(l.withdrawable_shared_usd, 2) as data_withdrawable_shared_usd,
  round(l.total_assets_usd, 2) as data_total_assets_usd,
  round(l.withdrawable_share, 8) as data_share,
  case when s.basis = 'collateral' then p.buffer else p.low_below end as data_threshold,
  round(c.at_risk_low_usd, 2) as data_collateral_at_risk_usd,
  round(c.required_usd, 2) as data_required_usd,
  c.vaults as data_set_vaults,
  round(l.force_withdrawable_usd, 2) as data_force_withdrawable_usd,
  round(l.reallocatable_usd, 2) as data_reallocatable_usd,
  replace(cast(cast(from_unixtime(s.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from derived.vault_liquidity_step s
join derived.vault_point l on l.chain = s.chain and l.vault_address = s.vault_address and l.observed_at = s.observed_at
cross join policy.vaults p
left join derived.vault_collateral_point c
  on c.chain = s.chain and c.vault_address = s.vault_address and c.observed_at = case when s.basis = 'collateral' then s.observed_at end
left join derived.vault_loss b on b.chain = s.chain and b.vault_address = s.vault_address and b.observed_at = s.observed_at
left join disputed d on d.chain = s.chain and d.vault_address = s.vault_address and d.observed_at = s.observed_at
left join derived.lending_vault v
  on v.chain = s.chain and v.vault_address = s.vault_address and v.valid_from <= s.observed_at and v.valid_to > s.observed_at
where s.edge = 'start' and s.is_observation and s.observed_at >= @start and s.observed_at < @end
