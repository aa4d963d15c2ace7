-- Summary of the final events of one vault: how many there are, which kinds of governance they cover, and the latest values set.
-- kind: full   grain: chain, vault_address
select
  chain, vault_address,
  count(*) as events,
  count(distinct governance_kind) as governance_kinds,
  array_join(array_agg(distinct governance_kind order by governance_kind) filter (where governance_kind is not null), ',') as kinds,
  max(block_timestamp) as last_event_at,
  max_by(subject_address, case when on_chain_event = 'set_curator' then place end) as curator_address,
  max_by(subject_address, case when on_chain_event = 'set_guardian' then place end) as guardian_address,
  max_by(subject_address, case when on_chain_event = 'transfer_ownership' then place end) as owner_address,
  max_by(new_value, case when on_chain_event = 'set_fee' then place end) as fee,
  max_by(new_value, case when on_chain_event = 'set_timelock' then place end) as timelock
from derived.vault_event
where final_at <= @now
group by chain, vault_address
