-- How completely the governance of one vault is indexed now: how many of the seven kinds (timelock, guardian, allocator, cap, fee, owner,
-- queue) its events cover; a kind without an event is missing history. A vault known only from logs has no metadata; a vault in the registry is classified by the protocol that lists
-- it. Freshness cannot be verified while the live sources of vault logs are overdue.
-- kind: full   grain: chain, scope, scope_id
with registered as (
  select * from derived.lending_vault where valid_from <= @now and valid_to > @now
),
vault as (
  select chain, vault_address from registered
  union
  select chain, vault_address from derived.vault_governance
)
select
  v.chain, 'lending_vault' as scope, v.vault_address as scope_id, r.protocol,
  coalesce(r.name, r.symbol, v.vault_address) as label,
  r.chain is not null as classified,
  r.chain is not null as has_metadata,
  coalesce(g.governance_kinds, 0) as rows_present,
  cast(coalesce(g.governance_kinds, 0) as double) / 7 * 100 as history_completeness_pct,
  case
    when g.last_event_at is null then r.valid_from
    when r.valid_from is null then g.last_event_at
    else greatest(g.last_event_at, r.valid_from)
  end as last_update_at,
  case when g.events > 0 then 'fresh' else 'unknown' end as verdict,
  r.chain is null as is_missing_metadata,
  r.chain is not null and coalesce(g.governance_kinds, 0) < 7 as is_missing_history,
  false as is_stale,
  coalesce(x.is_overdue, false) as is_unverifiable
from vault v
left join registered r on r.chain = v.chain and r.vault_address = v.vault_address
left join derived.table_reading x on x.table_name = 'vault_log'
left join derived.vault_governance g on g.chain = v.chain and g.vault_address = v.vault_address
