-- One vault: its registry entry and the values that its events have set since. A vault that appears only in logs has no metadata. Fee and
-- timelock are as the contract holds them: a fraction in 10^18ths, and seconds. events is 0 only where logs were delivered: it is null for a
-- vault without events whose logs were refused, or if no source has delivered logs.
-- kind: full   grain: chain, vault_address
with registered as (
  select * from derived.lending_vault where valid_from <= @now and valid_to > @now
),
vault as (
  select chain, vault_address from registered
  union
  select chain, vault_address from derived.vault_governance
),
missing as (
  select distinct subject from policy.delivery_gap where table_name = 'vault_log'
),
joined as (
  select
    v.chain, v.vault_address, r.protocol, r.name, r.symbol, r.asset_address, r.asset_symbol, r.version, r.is_listed,
    r.chain is not null as has_metadata,
    coalesce(g.curator_address, r.curator_address) as curator_address,
    g.owner_address, g.guardian_address,
    replace(g.fee, '"', '') as fee,
    try_cast(replace(g.timelock, '"', '') as bigint) as timelock_s,
    case
      when g.events is not null then g.events
      when concat(v.chain, '|', v.vault_address) in (select subject from missing where subject is not null)
        or (select count(*) from missing where subject is null) > 0 then null
      else 0
    end as events,
    coalesce(g.kinds, '') as kinds,
    g.last_event_at
  from vault v
  left join registered r on r.chain = v.chain and r.vault_address = v.vault_address
  left join derived.vault_governance g on g.chain = v.chain and g.vault_address = v.vault_address
),
curator as (
  select j.chain, j.vault_address, min(c.curator) as curator, min(c.name) as curator_name
  from joined j
  join derived.vault_curator c on strpos(c.addresses, j.curator_address) > 0
  group by j.chain, j.vault_address
)
select
  j.chain, j.vault_address, j.protocol, j.name, j.symbol, j.asset_address, j.asset_symbol, j.version, j.has_metadata, j.is_listed,
  j.curator_address, c.curator, c.curator_name, j.owner_address, j.guardian_address, j.fee, j.timelock_s, j.events,
  case when j.kinds = '' then array[] else split(j.kinds, ',') end as governance_kinds,
  j.last_event_at
from joined j
left join curator c on c.chain = j.chain and c.vault_address = j.vault_address
