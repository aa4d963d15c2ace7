-- One log of a vault that became final: it is as deep as its chain requires, and no reorganisation had removed it before that. `params`
-- holds its arguments; each value it sets is a pair `new_…`, `old_…`, with the old value from the last earlier log that set the same
-- value (for a curator also from the registry), null if none is known.
-- kind: window   grain: chain, tx_hash, log_index, block_hash   time: final_at   order: final_at, chain, vault_address, place, tx_hash, block_hash
with removal as (
  select chain, tx_hash, log_index, block_hash, min(removed_at) as removed_at
  from obs.vault_log
  where is_removed
  group by chain, tx_hash, log_index, block_hash
),
finished as (
  select
    l.chain, l.vault_address, l.block_number, l.block_hash, l.block_timestamp, l.tx_hash, l.log_index, l.place,
    l.on_chain_event, l.governance_kind, l.caller_address, l.subject_address, l.members, l.change_name, l.change_key,
    l.change_value, l.block_timestamp + coalesce(f.finality_s, p.finality_s) as final_at
  from obs.vault_log l
  cross join policy.lending p
  left join policy.chain_finality f on f.chain = l.chain
  where not l.is_removed and l.is_recognised
    -- No chain takes longer than 100,000 blocks of 10 minutes; only the rows of the window are kept below.
    and l.block_timestamp < @end and l.block_timestamp >= @start - 60000000
    and l.block_timestamp + coalesce(f.finality_s, p.finality_s) >= @start
    and l.block_timestamp + coalesce(f.finality_s, p.finality_s) < @end
),
standing as (
  select f.*
  from finished f
  left join removal r
    on r.chain = f.chain and r.tx_hash = f.tx_hash and r.log_index = f.log_index and r.block_hash = f.block_hash
  where r.removed_at is null or r.removed_at > f.final_at
),
setting as (
  select e.chain, e.vault_address, e.change_key, e.place, e.change_value, r.removed_at
  from obs.vault_log e
  join (select distinct chain, vault_address, change_key from standing) s
    on s.chain = e.chain and s.vault_address = e.vault_address and s.change_key = e.change_key
  left join removal r
    on r.chain = e.chain and r.tx_hash = e.tx_hash and r.log_index = e.log_index and r.block_hash = e.block_hash
  where not e.is_removed and e.change_value is not null
),
lasting as (
  select chain, vault_address, change_key, place, max(change_value) as change_value
  from setting
  where removed_at is null
  group by chain, vault_address, change_key, place
),
knot as (
  select chain, vault_address, change_key, place, max(set_place) as set_place
  from (
    select chain, vault_address, change_key, place, place as set_place from lasting
    union all
    select chain, vault_address, change_key, place, cast(null as bigint) as set_place from standing where change_key is not null
  ) k
  group by chain, vault_address, change_key, place
),
followed as (
  select
    chain, vault_address, change_key, place,
    max(set_place) over (
      partition by chain, vault_address, change_key order by place rows between unbounded preceding and 1 preceding
    ) as set_place
  from knot
),
-- Values that a later reorganisation removed, but only after the log became final: a few at most.
undone as (
  select
    s.chain, s.tx_hash, s.log_index, s.block_hash, max(e.place) as set_place, max_by(e.change_value, e.place) as change_value
  from standing s
  join setting e
    on e.chain = s.chain and e.vault_address = s.vault_address and e.change_key = s.change_key
    and e.removed_at > s.final_at and e.place < s.place
  group by s.chain, s.tx_hash, s.log_index, s.block_hash
),
earlier as (
  select
    s.chain, s.tx_hash, s.log_index, s.block_hash,
    case when u.set_place > coalesce(f.set_place, -1) then u.change_value else l.change_value end as old_value
  from standing s
  join followed f
    on f.chain = s.chain and f.vault_address = s.vault_address and f.change_key = s.change_key and f.place = s.place
  left join lasting l
    on l.chain = f.chain and l.vault_address = f.vault_address and l.change_key = f.change_key and l.place = f.set_place
  left join undone u
    on u.chain = s.chain and u.tx_hash = s.tx_hash and u.log_index = s.log_index and u.block_hash = s.block_hash
),
paired as (
  select
    s.*,
    coalesce(
      e.old_value,
      case when s.on_chain_event = 'set_curator' and v.curator_address is not null then concat('"', v.curator_address, '"') end
    ) as old_value
  from standing s
  left join earlier e
    on e.chain = s.chain and e.tx_hash = s.tx_hash and e.log_index = s.log_index and e.block_hash = s.block_hash
  left join derived.lending_vault v
    on v.chain = s.chain and v.vault_address = s.vault_address
    and v.valid_from < s.block_timestamp and v.valid_to >= s.block_timestamp
)
select
  chain, vault_address, block_number, block_hash, block_timestamp, tx_hash, log_index, place, final_at, on_chain_event,
  governance_kind, caller_address, subject_address, change_value as new_value, old_value,
  concat(
    '{', members,
    case when change_name is null then '' else concat(',"old_', change_name, '":', coalesce(old_value, 'null')) end,
    '}'
  ) as params
from paired
