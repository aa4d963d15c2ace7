-- A change of a vault that waits for its timelock was submitted. Placed at the second its log became final; `ts` is the time of its block.
-- Doubt: no registry describes the vault (vault_unregistered); the log itself is final.
-- kind: event   grain: event_key
select
  event_key, event_at, occurred_at, retracts_key, retracts_at, severity,
  'fresh' as freshness_status,
  chain, protocol, subject_id, doubts,
  vault_address as data_vault_address,
  contract_address as data_contract_address,
  change as data_change,
  change_key as data_change_key,
  statement as data_statement,
  market_id as data_market_id,
  cap_id as data_cap_id,
  caller_address as data_caller_address,
  old_value as data_old_value,
  new_value as data_new_value,
  json_parse(params) as data_params,
  submitted_at as data_submitted_at,
  executable_at as data_executable_at,
  is_due_unknown as data_is_due_unknown,
  timelock_s as data_timelock_s,
  split(can_revoke, ',') as data_can_revoke,
  assets_concerned_usd as data_assets_concerned_usd,
  block_number as data_block_number,
  tx_hash as data_tx_hash,
  log_index as data_log_index
from derived.vault_change_notice
where event_type = 'vault.change.pending' and event_at >= @start and event_at < @end
