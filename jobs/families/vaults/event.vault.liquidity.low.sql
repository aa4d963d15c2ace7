-- The state that confirms that a vault is short of liquidity: too little of its assets could be withdrawn. Doubt: no registry describes
-- the vault (vault_unregistered).
-- kind: event   grain: event_key
select
  concat(s.chain, '|', s.vault_address, '|', cast(s.observed_at as varchar)) as event_key,
  s.observed_at as event_at,
  case when l.withdrawable = 0 then 'critical' else 'high' end as severity,
  'fresh' as freshness_status,
  s.chain, v.protocol,
  concat('vault:', s.chain, ':', s.vault_address) as subject_id,
  case when v.chain is null then 'vault_unregistered' end as doubts,
  s.vault_address as data_vault_address,
  'share' as data_basis,
  round(l.withdrawable_usd, 2) as data_withdrawable_usd,
  round(l.withdrawable_shared_usd, 2) as data_withdrawable_shared_usd,
  round(l.total_assets_usd, 2) as data_total_assets_usd,
  round(l.withdrawable_share, 8) as data_share,
  p.low_below as data_threshold,
  round(l.force_withdrawable_usd, 2) as data_force_withdrawable_usd,
  round(l.reallocatable_usd, 2) as data_reallocatable_usd,
  replace(cast(cast(from_unixtime(s.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from derived.vault_liquidity_step s
join derived.vault_point l on l.chain = s.chain and l.vault_address = s.vault_address and l.observed_at = s.observed_at
cross join policy.vaults p
left join derived.lending_vault v
  on v.chain = s.chain and v.vault_address = s.vault_address and v.valid_from <= s.observed_at and v.valid_to > s.observed_at
where s.edge = 'start' and s.is_observation and s.observed_at >= @start and s.observed_at < @end
