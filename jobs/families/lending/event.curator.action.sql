-- An action on a vault without an event type of its own: queues, allocators, guardian, timelock, owner, lost assets, their
-- announcements and revocations, and setting the same curator again. Placed at the second it became final; `ts` is the time of its block.
-- Doubt: no registry describes the vault (vault_unregistered); the log itself is final.
-- kind: event   grain: event_key
select
  event_key, event_at, occurred_at, retracts_key, retracts_at,
  'info' as severity,
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
where event_type = 'curator.action' and event_at >= @start and event_at < @end
