-- An impossible event of a vault: final before its block, an unknown action, or a duplicate log on one block.
select chain, vault_address, tx_hash, log_index, 'final too early' as problem
from derived.vault_event
where final_at >= @start and final_at < @end and final_at < block_timestamp
union all
select chain, vault_address, tx_hash, log_index, 'unrecognised' as problem
from derived.vault_event
where final_at >= @start and final_at < @end and on_chain_event = 'unrecognised'
union all
select chain, vault_address, tx_hash, log_index, 'twice' as problem
from derived.vault_event
where final_at >= @start and final_at < @end
group by chain, vault_address, tx_hash, log_index, block_hash
having count(*) > 1
