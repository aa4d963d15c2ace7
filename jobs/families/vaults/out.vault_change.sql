-- One delayed change of a vault: pending however long, and for 90 days after it has ended.
-- kind: full   grain: chain, tx_hash, log_index, block_hash
select
  c.chain, c.vault_address, v.protocol, v.name as vault_name, c.contract_address, c.change, c.change_key, c.market_id, c.cap_id, e.statement,
  case
    when c.ending is not null then c.ending
    when c.abdicated_at is not null then 'blocked'
    when c.executable_at <= @now then 'executable'
    else 'pending'
  end as status,
  e.severity, c.old_value, c.new_value, c.submitted_at, c.executable_at, c.timelock_s, coalesce(c.executable_by, 'anyone') as executable_by,
  split(e.can_revoke, ',') as can_revoke, e.assets_concerned_usd, c.caller_address,
  c.final_at > @now as is_not_final, c.ended_at, c.ended_by, c.ended_tx_hash, c.block_number, c.block_hash, c.tx_hash, c.log_index,
  json_parse(c.params) as params
from derived.vault_change c
join derived.vault_change_effect e
  on e.chain = c.chain and e.tx_hash = c.tx_hash and e.log_index = c.log_index and e.block_hash = c.block_hash
left join derived.lending_vault v
  on v.chain = c.chain and v.vault_address = c.vault_address and v.valid_from <= @now and v.valid_to > @now
where c.is_current and (c.ending is null or c.ended_at > @now - 7776000)
