-- One notice to emit about a final event of a vault: the event itself, at the second it became final, or its removal by a
-- reorganisation, at the second the removal was observed. Only the event log shows which of the removed events were ever emitted. A
-- vault without a registry entry has no protocol, which is a doubt. Setting the same curator again is an action, not a change. A deposit or
-- withdrawal of a version 2 vault moves supply through its liquidity adapter in the depositor's name; no allocator decided on that, so it is
-- no notice: an `allocate` right after the log of a deposit, or a `deallocate` right before that of a withdrawal, by the same caller.
-- kind: view   grain: event_key
with removal as (
  select chain, tx_hash, log_index, block_hash, min(removed_at) as removed_at
  from obs.vault_log
  where is_removed
  group by chain, tx_hash, log_index, block_hash
),
notice as (
  select
    chain, vault_address, block_number, block_hash, block_timestamp, tx_hash, log_index, on_chain_event, caller_address, subject_address,
    params, new_value, old_value, final_at as event_at, false as is_retraction
  from derived.vault_event
  union all
  select
    l.chain, l.vault_address, l.block_number, l.block_hash, l.block_timestamp, l.tx_hash, l.log_index, l.on_chain_event, l.caller_address,
    l.subject_address,
    coalesce(e.params, concat('{', l.members, '}')) as params,
    l.change_value as new_value, e.old_value, r.removed_at as event_at, true as is_retraction
  from obs.vault_log l
  join removal r
    on r.chain = l.chain and r.tx_hash = l.tx_hash and r.log_index = l.log_index and r.block_hash = l.block_hash
  left join derived.vault_event e
    on e.chain = l.chain and e.tx_hash = l.tx_hash and e.log_index = l.log_index and e.block_hash = l.block_hash
  where not l.is_removed and l.is_recognised
),
movement as (
  select
    chain, vault_address, tx_hash, log_index, block_hash, on_chain_event, caller_address,
    lag(concat(on_chain_event, ' ', caller_address)) over (
      partition by chain, vault_address, tx_hash, block_hash order by log_index
    ) as earlier,
    lead(concat(on_chain_event, ' ', caller_address)) over (
      partition by chain, vault_address, tx_hash, block_hash order by log_index
    ) as next_one,
    lead(concat(on_chain_event, ' ', caller_address), 2) over (
      partition by chain, vault_address, tx_hash, block_hash order by log_index
    ) as next_two,
    lead(concat(on_chain_event, ' ', caller_address), 3) over (
      partition by chain, vault_address, tx_hash, block_hash order by log_index
    ) as next_three
  from obs.vault_log
  where not is_removed and contract_address is null
    and on_chain_event in ('deposit', 'withdraw', 'allocate', 'deallocate', 'force_deallocate')
),
-- A forced withdrawal of supply is followed by the withdrawal of its penalty, which may move the liquidity adapter as well.
by_depositor as (
  select chain, vault_address, tx_hash, log_index, block_hash
  from movement
  where on_chain_event = 'allocate' and earlier = concat('deposit ', caller_address)
    or on_chain_event = 'deallocate' and next_one = concat('withdraw ', caller_address)
    or on_chain_event = 'deallocate' and next_one = concat('deallocate ', caller_address)
      and next_two = concat('withdraw ', caller_address) and next_three = concat('force_deallocate ', caller_address)
),
named as (
  select
    n.*,
    concat(n.chain, '|', n.tx_hash, '|', lpad(cast(n.log_index as varchar), 5, '0'), '|', n.block_hash) as fact
  from notice n
  left join by_depositor d
    on d.chain = n.chain and d.vault_address = n.vault_address and d.tx_hash = n.tx_hash and d.log_index = n.log_index
    and d.block_hash = n.block_hash
  where d.chain is null
)
select
  case
    when n.on_chain_event in (
      'set_cap', 'increase_absolute_cap', 'decrease_absolute_cap', 'increase_relative_cap', 'decrease_relative_cap'
    ) then 'vault.cap.changed'
    when n.on_chain_event in ('set_fee', 'set_performance_fee', 'set_management_fee') then 'vault.fee.changed'
    when n.on_chain_event = 'set_curator' and n.new_value is distinct from n.old_value then 'vault.curator.changed'
    when n.on_chain_event in ('reallocate_supply', 'reallocate_withdraw', 'allocate', 'deallocate') then 'vault.allocation.changed'
    else 'curator.action'
  end as event_type,
  case when n.is_retraction then concat(n.fact, '|retracted') else n.fact end as event_key,
  n.event_at,
  case when n.is_retraction then n.event_at else n.block_timestamp end as occurred_at,
  case when n.is_retraction then n.fact end as retracts_key,
  case when n.is_retraction then n.block_timestamp end as retracts_at,
  n.chain, v.protocol,
  concat('vault:', n.chain, ':', n.vault_address) as subject_id,
  case when v.chain is null then 'vault_unregistered' end as doubts,
  n.vault_address, n.caller_address, n.subject_address, n.on_chain_event, n.block_number, n.tx_hash, n.log_index,
  n.block_timestamp, n.params,
  replace(n.new_value, '"', '') as new_value,
  replace(n.old_value, '"', '') as old_value
from named n
left join derived.lending_vault v
  on v.chain = n.chain and v.vault_address = n.vault_address and v.valid_from <= n.event_at and v.valid_to > n.event_at
