-- Supply that a vault moved into or out of a market: one event per log. Placed at the second it became final; `ts` is the time
-- of its block. Doubt: no registry describes the vault (vault_unregistered); the log itself is final.
-- kind: event   grain: event_key
select
  event_key, event_at, occurred_at, retracts_key, retracts_at,
  'warn' as severity,
  'fresh' as freshness_status,
  chain, protocol, subject_id, doubts,
  vault_address as data_vault_address,
  caller_address as data_caller_address,
  subject_address as data_subject_address,
  on_chain_event as data_on_chain_event,
  block_number as data_block_number,
  tx_hash as data_tx_hash,
  log_index as data_log_index,
  block_timestamp as data_timestamp,
  json_parse(params) as data_params
from derived.vault_notice
where event_type = 'vault.allocation.changed' and event_at >= @start and event_at < @end
