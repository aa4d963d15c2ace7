-- One decoded log of a vault, or its removal by a reorganisation. `place` follows the order of the chain.
-- kind: append   grain: chain, tx_hash, log_index, standing   time: block_timestamp   order: block_timestamp, chain, vault_address, place, standing
select
  chain, vault_address, block_number, coalesce(block_hash, '') as block_hash, block_timestamp, tx_hash, log_index,
  block_number * 100000 + log_index as place, standing, on_chain_event,
  on_chain_event <> 'unrecognised' as is_recognised,
  governance_kind, caller_address, subject_address, members, change_name, change_key, change_value,
  coalesce(is_removed, false) as is_removed,
  case when is_removed then coalesce(removed_at, block_timestamp) end as removed_at,
  source_id, fetched_at
from landing.vault_log
