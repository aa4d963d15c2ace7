-- One decoded log of a vault or of an adapter of it (`contract_address`), or its removal by a reorganisation. `place` follows the order of the
-- chain. Deposits, withdrawals and what contracts book are not among the events of governance that are recognised here.
-- kind: append   grain: chain, tx_hash, log_index, standing   time: block_timestamp   order: block_timestamp, chain, vault_address, place, standing
select
  chain, vault_address, contract_address, block_number, coalesce(block_hash, '') as block_hash, block_timestamp, tx_hash, log_index,
  block_number * 100000 + log_index as place, standing, on_chain_event,
  on_chain_event not in (
    'unrecognised', 'deposit', 'withdraw', 'accrue_interest', 'accrue_interest_and_fees', 'update_last_total_assets',
    'allocate_in_adapter', 'deallocate_in_adapter'
  ) as is_recognised,
  governance_kind, caller_address, subject_address, members, change_name, change_key, change_value,
  coalesce(is_removed, false) as is_removed,
  case when is_removed then coalesce(removed_at, block_timestamp) end as removed_at,
  source_id, fetched_at
from landing.vault_log
