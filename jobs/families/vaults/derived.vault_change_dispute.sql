-- A change of which the logs of one vault and its contracts do not say the same at one block: it waits by one of them only, or for another
-- second. Compared is the newest reading that asked the contracts, at most two days old, by what the logs say now about its block; of version 2,
-- calls that were submitted in blocks whose submissions that reading knows. A contract that did not answer is a row, `unanswered`.
-- kind: full   grain: chain, vault_address, change_key
with reading as (
  select
    chain, vault_address, max(observed_at) as observed_at, max_by(block_number, observed_at) as block_number,
    max_by(pending_getters, observed_at) as pending_getters
  from obs.vault_state
  where pending_getters is not null and block_number is not null and observed_at > @now - 2 * 86400 and observed_at <= @now
  group by chain, vault_address
),
stated as (
  select r.chain, r.vault_address, split_part(t.entry, '@', 1) as change_key, try_cast(split_part(t.entry, '@', 2) as bigint) as executable_at
  from reading r
  cross join unnest(split(r.pending_getters, ' ')) as t(entry)
  where t.entry <> 'none' and t.entry not like 'since|%'
),
known as (
  select
    r.chain, r.vault_address, split_part(split_part(t.entry, '@', 1), '|', 2) as contract_address,
    cast(split_part(t.entry, '@', 2) as bigint) as first_block
  from reading r
  cross join unnest(split(r.pending_getters, ' ')) as t(entry)
  where t.entry like 'since|%'
),
held as (
  select distinct r.chain, r.vault_address, p.held
  from reading r
  join obs.vault_position p on p.chain = r.chain and p.vault_address = r.vault_address and p.observed_at = r.observed_at
  where p.holder_address = p.vault_address and p.observed_at > @now - 2 * 86400 and p.observed_at <= @now
),
logged as (
  select c.chain, c.vault_address, c.change_key, c.executable_at
  from reading r
  join derived.vault_change c on c.chain = r.chain and c.vault_address = r.vault_address
  left join held h on h.chain = c.chain and h.vault_address = c.vault_address and h.held = c.market_id
  where c.is_current and not c.is_v2 and c.contract_address = c.vault_address
    and c.block_number <= r.block_number and (c.ended_block_number is null or c.ended_block_number > r.block_number)
    and (c.change in ('timelock', 'guardian') or c.change = 'owner' and c.new_value <> '0x0000000000000000000000000000000000000000' or h.held is not null)
  union all
  select c.chain, c.vault_address, concat(c.contract_address, '|', c.change_key) as change_key, c.executable_at
  from reading r
  join derived.vault_change c on c.chain = r.chain and c.vault_address = r.vault_address
  join known k on k.chain = c.chain and k.vault_address = c.vault_address and k.contract_address = c.contract_address
  where c.is_current and c.is_v2 and c.block_number >= k.first_block
    and c.block_number <= r.block_number and (c.ended_block_number is null or c.ended_block_number > r.block_number)
)
select
  coalesce(s.chain, l.chain) as chain, coalesce(s.vault_address, l.vault_address) as vault_address,
  coalesce(s.change_key, l.change_key) as change_key, s.executable_at as stated_at, l.executable_at as logged_at
from stated s
full join logged l on l.chain = s.chain and l.vault_address = s.vault_address and l.change_key = s.change_key
where s.chain is null or l.chain is null or s.change_key <> 'owner' and l.executable_at <> s.executable_at
