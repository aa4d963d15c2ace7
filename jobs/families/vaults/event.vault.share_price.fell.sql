-- A fall of the backed share price of a vault, at the state that shows it. Doubts: the state before is older than the policy allows
-- (reading_old), another source stated another price (sources_disagree), or no registry describes the vault (vault_unregistered).
-- kind: event   grain: event_key
with disputed as (
  select distinct f.chain, f.vault_address, f.observed_at
  from derived.vault_fall f
  cross join policy.vaults p
  join derived.vault_break b
    on b.chain = f.chain and b.vault_address = f.vault_address and b.observed_at <= f.observed_at
    and b.observed_at > f.observed_at - p.state_max_age_s
  where b.reason = 'sources_disagree' and f.observed_at >= @start and f.observed_at < @end
)
select
  concat(f.chain, '|', f.vault_address, '|', cast(f.observed_at as varchar)) as event_key,
  f.observed_at as event_at,
  case when f.fall_bps < p.high_bps then 'warn' when f.fall_bps < p.critical_bps then 'high' else 'critical' end as severity,
  'fresh' as freshness_status,
  f.chain, v.protocol,
  concat('vault:', f.chain, ':', f.vault_address) as subject_id,
  substr(concat(
    case when f.observed_at - f.previous_at > p.state_max_age_s then ',reading_old' else '' end,
    case when d.chain is not null then ',sources_disagree' else '' end,
    case when v.chain is null then ',vault_unregistered' else '' end
  ), 2) as doubts,
  f.vault_address as data_vault_address,
  cast(f.previous_price as varchar) as data_price_before,
  cast(f.judged_price as varchar) as data_price_after,
  cast(f.previous_quoted as varchar) as data_quoted_before,
  cast(f.quoted_price as varchar) as data_quoted_after,
  round(f.fall_bps, 6) as data_fall_bps,
  f.loss_assets as data_loss_assets,
  round(f.loss_usd, 2) as data_loss_usd,
  round(f.coverage, 12) as data_coverage,
  f.cause as data_cause,
  json_parse(f.markets) as data_markets,
  f.previous_at as data_previous_at,
  f.observed_at as data_observed_at,
  f.block_number as data_block_number
from derived.vault_fall f
cross join policy.vaults p
left join disputed d on d.chain = f.chain and d.vault_address = f.vault_address and d.observed_at = f.observed_at
left join derived.lending_vault v
  on v.chain = f.chain and v.vault_address = f.vault_address and v.valid_from <= f.observed_at and v.valid_to > f.observed_at
where f.observed_at >= @start and f.observed_at < @end
