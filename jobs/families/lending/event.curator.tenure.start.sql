-- A curator that replaced another or became the first. The zero address stands for no curator. Doubt: no registry describes the vault
-- (vault_unregistered).
-- kind: event   grain: event_key
select
  event_key, event_at, occurred_at, retracts_key, retracts_at,
  'info' as severity,
  'fresh' as freshness_status,
  chain, protocol, subject_id, doubts,
  vault_address as data_vault_address,
  new_value as data_curator_address
from derived.vault_notice
where event_type = 'vault.curator.changed' and event_at >= @start and event_at < @end
  and new_value <> '0x0000000000000000000000000000000000000000'
  and new_value <> coalesce(old_value, '')
