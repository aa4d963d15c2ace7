-- One change of a vault that a timelock delays, from its submission to its end: executed, revoked, or neither yet. A change is identified by
-- its contract and what it sets (version 1: cap and removal by market) or its whole call (version 2). A second submission replaces the first,
-- and an owner that is given up or becomes another one than the one that waits withdraws that one, as does the zero address.
-- old_value is what the last log before the submission set. executable_at is null where the timelock is not known. Rows with
-- is_current rest on logs that are on the chain; the others on one that a reorganisation removed, at removed_at or ended_removed_at.
-- kind: full   grain: chain, tx_hash, log_index, block_hash, is_current
with removal as (
  select chain, tx_hash, log_index, block_hash, min(removed_at) as removed_at
  from obs.vault_log
  where is_removed and removed_at <= @now
  group by chain, tx_hash, log_index, block_hash
),
log as (
  select
    l.chain, l.vault_address, coalesce(l.contract_address, l.vault_address) as contract_address, l.block_number, l.block_hash,
    l.block_timestamp, l.tx_hash, l.log_index, l.place, l.on_chain_event, l.caller_address, l.subject_address, l.change_key, l.change_value,
    concat('{', l.members, '}') as params, l.block_timestamp + coalesce(f.finality_s, p.finality_s) as final_at, r.removed_at
  from obs.vault_log l
  cross join policy.lending p
  left join policy.chain_finality f on f.chain = l.chain
  left join removal r
    on r.chain = l.chain and r.tx_hash = l.tx_hash and r.log_index = l.log_index and r.block_hash = l.block_hash
  where not l.is_removed and l.is_recognised and l.block_timestamp <= @now
),
named as (
  select
    *,
    case
      when on_chain_event in ('submit', 'accept', 'revoke') then json_extract_scalar(params, '$.data')
      when on_chain_event in ('submit_cap', 'set_cap', 'revoke_pending_cap') then concat('cap|', json_extract_scalar(params, '$.market_id'))
      when on_chain_event in ('submit_market_removal', 'revoke_pending_market_removal')
        then concat('removal|', json_extract_scalar(params, '$.market_id'))
      when on_chain_event in ('submit_timelock', 'set_timelock', 'revoke_pending_timelock') then 'timelock'
      when on_chain_event in ('submit_guardian', 'set_guardian', 'revoke_pending_guardian') then 'guardian'
      when on_chain_event in ('start_ownership_transfer', 'transfer_ownership') then 'owner'
    end as subject_key,
    case
      when on_chain_event = 'start_ownership_transfer'
        and json_extract_scalar(params, '$.pending_owner') = '0x0000000000000000000000000000000000000000' then 'revoked'
      when on_chain_event in ('submit', 'submit_cap', 'submit_market_removal', 'submit_timelock', 'submit_guardian', 'start_ownership_transfer')
        then 'submitted'
      when on_chain_event in ('accept', 'set_cap', 'set_timelock', 'set_guardian', 'transfer_ownership') then 'executed'
      when on_chain_event in (
        'revoke', 'revoke_pending_cap', 'revoke_pending_market_removal', 'revoke_pending_timelock', 'revoke_pending_guardian'
      ) then 'revoked'
    end as role
  from log
),
-- A market is removed by a withdraw queue without it.
removed as (
  select q.*, s.subject_key as removed_key
  from named q
  join (select distinct chain, vault_address, subject_key, json_extract_scalar(params, '$.market_id') as market_id from named
    where on_chain_event = 'submit_market_removal') s
    on s.chain = q.chain and s.vault_address = q.vault_address
  where q.on_chain_event = 'set_withdraw_queue' and strpos(q.params, s.market_id) = 0
),
step as (
  select
    chain, vault_address, contract_address, subject_key, role, place, block_number, block_hash, block_timestamp, final_at, tx_hash, log_index,
    on_chain_event, caller_address, subject_address, params, removed_at
  from named
  where role is not null and subject_key is not null
  union all
  select
    chain, vault_address, contract_address, removed_key as subject_key, 'executed' as role, place, block_number, block_hash, block_timestamp,
    final_at, tx_hash, log_index, on_chain_event, caller_address, subject_address, params, removed_at
  from removed
),
seen as (
  select *, true as is_current from step where removed_at is null
  union all
  select *, false as is_current from step
),
followed as (
  select
    *,
    lead(removed_at) over in_order as next_removed_at,
    lead(role) over in_order as next_role, lead(place) over in_order as next_place, lead(block_timestamp) over in_order as next_at,
    lead(final_at) over in_order as next_final_at, lead(tx_hash) over in_order as next_tx_hash, lead(log_index) over in_order as next_log_index,
    lead(block_hash) over in_order as next_block_hash, lead(block_number) over in_order as next_block_number,
    lead(on_chain_event) over in_order as next_event, lead(caller_address) over in_order as next_caller,
    lead(json_extract_scalar(params, '$.new_owner')) over in_order as next_owner
  from seen
  window in_order as (partition by is_current, chain, vault_address, contract_address, subject_key order by place, tx_hash, block_hash)
),
submitted as (
  select
    *,
    case when on_chain_event = 'submit' then json_extract_scalar(params, '$.function') end as called,
    case on_chain_event
      when 'submit_cap' then concat('cap|', json_extract_scalar(params, '$.market_id'))
      when 'submit_timelock' then 'timelock'
      when 'submit_guardian' then 'guardian'
      when 'submit' then case json_extract_scalar(params, '$.function')
        when 'increaseAbsoluteCap' then concat('absolute_cap|', subject_address)
        when 'increaseRelativeCap' then concat('relative_cap|', subject_address)
        when 'increaseTimelock' then concat('duration|', json_extract_scalar(params, '$.arguments.selector'))
        when 'decreaseTimelock' then concat('duration|', json_extract_scalar(params, '$.arguments.selector'))
        when 'setPerformanceFee' then 'performance_fee'
        when 'setManagementFee' then 'management_fee'
        when 'setForceDeallocatePenalty' then concat('penalty|', subject_address)
      end
    end as value_key
  from followed
  where role = 'submitted' and (is_current or removed_at is not null or next_removed_at is not null)
),
before as (
  select s.chain, s.tx_hash, s.log_index, s.block_hash, max_by(l.change_value, l.place) as old_value
  from submitted s
  join log l
    on l.chain = s.chain and l.vault_address = s.vault_address and l.place < s.place
    and l.change_key = case when s.contract_address = s.vault_address then s.value_key else concat(s.value_key, '|', s.contract_address) end
  where l.change_value is not null and l.removed_at is null
  group by s.chain, s.tx_hash, s.log_index, s.block_hash
),
delayed as (
  select
    s.chain, s.tx_hash, s.log_index, s.block_hash,
    try_cast(replace(max_by(l.change_value, l.place), '"', '') as bigint) as timelock_s
  from submitted s
  join log l on l.chain = s.chain and l.vault_address = s.vault_address and l.change_key = 'timelock' and l.place < s.place
  where l.removed_at is null and s.on_chain_event in ('submit_cap', 'submit_market_removal', 'submit_timelock', 'submit_guardian')
  group by s.chain, s.tx_hash, s.log_index, s.block_hash
),
abdicated as (
  select chain, contract_address, json_extract_scalar(params, '$.selector') as selector, min(block_timestamp) as abdicated_at
  from log
  where on_chain_event = 'abdicate' and removed_at is null
  group by chain, contract_address, json_extract_scalar(params, '$.selector')
)
select
  s.chain, s.vault_address, s.contract_address, s.subject_key as change_key, s.block_number, s.block_hash, s.block_timestamp as submitted_at,
  s.final_at, s.tx_hash, s.log_index, s.is_current, s.removed_at, s.next_removed_at as ended_removed_at, s.caller_address, s.subject_address, s.params,
  coalesce(
    case s.on_chain_event
      when 'submit_cap' then 'cap'
      when 'submit_market_removal' then 'market_removal'
      when 'submit_timelock' then 'timelock'
      when 'submit_guardian' then 'guardian'
      when 'start_ownership_transfer' then 'owner'
    end,
    s.called, 'unknown'
  ) as change,
  case
    when s.on_chain_event in ('submit_cap', 'submit_market_removal') then json_extract_scalar(s.params, '$.market_id')
    else json_extract_scalar(s.params, '$.arguments.marketId')
  end as market_id,
  case when s.called in ('increaseAbsoluteCap', 'increaseRelativeCap') then s.subject_address end as cap_id,
  replace(b.old_value, '"', '') as old_value,
  coalesce(
    json_extract_scalar(s.params, '$.pending_cap'), json_extract_scalar(s.params, '$.pending_timelock'),
    json_extract_scalar(s.params, '$.pending_guardian'), json_extract_scalar(s.params, '$.pending_owner'),
    case s.called
      when 'setIsAllocator' then json_extract_scalar(s.params, '$.arguments.newIsAllocator')
      when 'setReceiveSharesGate' then json_extract_scalar(s.params, '$.arguments.newReceiveSharesGate')
      when 'setSendSharesGate' then json_extract_scalar(s.params, '$.arguments.newSendSharesGate')
      when 'setReceiveAssetsGate' then json_extract_scalar(s.params, '$.arguments.newReceiveAssetsGate')
      when 'setSendAssetsGate' then json_extract_scalar(s.params, '$.arguments.newSendAssetsGate')
      when 'setAdapterRegistry' then json_extract_scalar(s.params, '$.arguments.newAdapterRegistry')
      when 'addAdapter' then json_extract_scalar(s.params, '$.arguments.adapter')
      when 'removeAdapter' then json_extract_scalar(s.params, '$.arguments.adapter')
      when 'increaseTimelock' then json_extract_scalar(s.params, '$.arguments.newDuration')
      when 'decreaseTimelock' then json_extract_scalar(s.params, '$.arguments.newDuration')
      when 'abdicate' then json_extract_scalar(s.params, '$.arguments.selector')
      when 'setPerformanceFee' then json_extract_scalar(s.params, '$.arguments.newPerformanceFee')
      when 'setManagementFee' then json_extract_scalar(s.params, '$.arguments.newManagementFee')
      when 'setPerformanceFeeRecipient' then json_extract_scalar(s.params, '$.arguments.newPerformanceFeeRecipient')
      when 'setManagementFeeRecipient' then json_extract_scalar(s.params, '$.arguments.newManagementFeeRecipient')
      when 'increaseAbsoluteCap' then json_extract_scalar(s.params, '$.arguments.newAbsoluteCap')
      when 'increaseRelativeCap' then json_extract_scalar(s.params, '$.arguments.newRelativeCap')
      when 'setForceDeallocatePenalty' then json_extract_scalar(s.params, '$.arguments.newForceDeallocatePenalty')
      when 'setSkimRecipient' then json_extract_scalar(s.params, '$.arguments.newSkimRecipient')
    end
  ) as new_value,
  case
    when s.on_chain_event = 'submit' then try_cast(json_extract_scalar(s.params, '$.executable_at') as bigint)
    when s.on_chain_event = 'start_ownership_transfer' then s.block_timestamp
    else s.block_timestamp + d.timelock_s
  end as executable_at,
  case
    when s.on_chain_event = 'submit' then try_cast(json_extract_scalar(s.params, '$.executable_at') as bigint) - s.block_timestamp
    when s.on_chain_event = 'start_ownership_transfer' then 0
    else d.timelock_s
  end as timelock_s,
  case when s.on_chain_event = 'start_ownership_transfer' then json_extract_scalar(s.params, '$.pending_owner') end as executable_by,
  s.on_chain_event = 'submit' as is_v2,
  case
    when s.next_role = 'submitted' or s.next_event = 'transfer_ownership' and s.next_owner <> json_extract_scalar(s.params, '$.pending_owner')
      then 'revoked'
    else s.next_role
  end as ending,
  s.next_at as ended_at, s.next_final_at as ended_final_at, s.next_tx_hash as ended_tx_hash, s.next_log_index as ended_log_index,
  s.next_block_hash as ended_block_hash, s.next_block_number as ended_block_number, s.next_event as ended_by_event, s.next_caller as ended_by,
  a.abdicated_at
from submitted s
left join before b on b.chain = s.chain and b.tx_hash = s.tx_hash and b.log_index = s.log_index and b.block_hash = s.block_hash
left join delayed d on d.chain = s.chain and d.tx_hash = s.tx_hash and d.log_index = s.log_index and d.block_hash = s.block_hash
left join abdicated a
  on a.chain = s.chain and a.contract_address = s.contract_address
  and a.selector = case when s.on_chain_event = 'submit' then json_extract_scalar(s.params, '$.selector') end
