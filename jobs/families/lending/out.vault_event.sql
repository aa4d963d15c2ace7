-- One final governance event of one vault in the last 90 days, with the time of its removal if a reorganisation removed it later. Supply
-- that moves between markets is none: every deposit into a vault of version 2 moves some. The event log has what an allocator moved.
-- kind: full   grain: chain, tx_hash, log_index, block_hash
with removal as (
  select chain, tx_hash, log_index, block_hash, min(removed_at) as removed_at
  from obs.vault_log
  where is_removed and removed_at <= @now
  group by chain, tx_hash, log_index, block_hash
)
select
  e.chain, e.vault_address, v.protocol, e.on_chain_event, e.governance_kind, e.caller_address, e.subject_address, e.block_number, e.block_hash,
  e.tx_hash, e.log_index, e.block_timestamp as timestamp, e.final_at, r.removed_at as retracted_at,
  json_parse(e.params) as params
from derived.vault_event e
left join removal r
  on r.chain = e.chain and r.tx_hash = e.tx_hash and r.log_index = e.log_index and r.block_hash = e.block_hash
left join derived.lending_vault v
  on v.chain = e.chain and v.vault_address = e.vault_address and v.valid_from <= @now and v.valid_to > @now
where e.final_at > @now - 7776000 and e.final_at <= @now
  and e.on_chain_event not in ('reallocate_supply', 'reallocate_withdraw', 'allocate', 'deallocate')
