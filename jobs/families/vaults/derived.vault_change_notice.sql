-- One notice to emit about a delayed change of a vault: its submission and its end, each at the second its log became final, or the
-- removal of that log, at the second it was observed. A change that is submitted and executed in one transaction was never pending.
-- kind: view   grain: event_type, event_key
with fact as (
  select
    c.*, e.statement, e.severity as pending_severity, e.assets_concerned_usd, e.can_revoke,
    concat(c.chain, '|', c.tx_hash, '|', lpad(cast(c.log_index as varchar), 5, '0'), '|', c.block_hash) as submission_key,
    concat(c.chain, '|', c.ended_tx_hash, '|', lpad(cast(c.ended_log_index as varchar), 5, '0'), '|', c.ended_block_hash) as ending_key
  from derived.vault_change c
  join derived.vault_change_effect e
    on e.chain = c.chain and e.tx_hash = c.tx_hash and e.log_index = c.log_index and e.block_hash = c.block_hash
),
notice as (
  select
    'vault.change.pending' as event_type, submission_key as event_key, final_at as event_at, submitted_at as occurred_at,
    cast(null as varchar) as retracts_key, cast(null as bigint) as retracts_at,
    case when abdicated_at <= submitted_at then 'info' else pending_severity end as severity, f.*
  from fact f
  where is_current and (ending is null or ended_tx_hash <> tx_hash)
  union all
  select
    'vault.change.pending' as event_type, concat(submission_key, '|retracted') as event_key, removed_at as event_at, removed_at as occurred_at,
    submission_key as retracts_key, submitted_at as retracts_at, pending_severity as severity, f.*
  from fact f
  where not is_current and removed_at is not null
  union all
  select
    concat('vault.change.', ending) as event_type, ending_key as event_key, ended_final_at as event_at, ended_at as occurred_at,
    cast(null as varchar) as retracts_key, cast(null as bigint) as retracts_at,
    case when ending = 'executed' then pending_severity else 'info' end as severity, f.*
  from fact f
  where is_current and ending is not null
  union all
  select
    concat('vault.change.', ending) as event_type, concat(ending_key, '|retracted') as event_key,
    coalesce(ended_removed_at, removed_at) as event_at, coalesce(ended_removed_at, removed_at) as occurred_at, ending_key as retracts_key,
    ended_at as retracts_at, case when ending = 'executed' then pending_severity else 'info' end as severity, f.*
  from fact f
  where not is_current and ending is not null
)
select
  n.event_type, n.event_key, n.event_at, n.occurred_at, n.retracts_key, n.retracts_at, n.severity, n.chain, v.protocol,
  concat('vault:', n.chain, ':', n.vault_address) as subject_id, case when v.chain is null then 'vault_unregistered' end as doubts,
  n.vault_address, n.contract_address, n.change, n.change_key, n.market_id, n.cap_id, n.caller_address, n.statement, n.old_value, n.new_value,
  n.params, n.submitted_at, n.executable_at, n.executable_at is null as is_due_unknown, n.timelock_s, n.can_revoke, n.assets_concerned_usd,
  n.submission_key, n.ended_at, n.ended_by, n.ending,
  case when n.event_type = 'vault.change.pending' then n.block_number else n.ended_block_number end as block_number,
  case when n.event_type = 'vault.change.pending' then n.tx_hash else n.ended_tx_hash end as tx_hash,
  case when n.event_type = 'vault.change.pending' then n.log_index else n.ended_log_index end as log_index
from notice n
left join derived.lending_vault v
  on v.chain = n.chain and v.vault_address = n.vault_address and v.valid_from <= n.event_at and v.valid_to > n.event_at
