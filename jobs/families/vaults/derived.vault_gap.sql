-- A period of one day without a usable state of a vault: the newest one was older than the policy allows, the vault had no shares in
-- between and its price started again, or another source stated another price.
-- kind: view   grain: chain, vault_address, day, from_at, reason
with known as (
  select chain, vault_address, day, observed_at from derived.vault_point
  union all
  select chain, vault_address, day + 86400 as day, last_at as observed_at from derived.vault_day where last_at is not null
),
followed as (
  select
    chain, vault_address, day, observed_at,
    lead(observed_at, 1, day + 86400) over (partition by chain, vault_address, day order by observed_at) as next_at
  from known
)
select
  f.chain, f.vault_address, f.day, greatest(f.observed_at + p.state_max_age_s, f.day) as from_at, f.next_at as to_at, 'no_state' as reason
from followed f
cross join policy.vaults p
where greatest(f.observed_at + p.state_max_age_s, f.day) < f.next_at
union all
select chain, vault_address, day, greatest(previous_at, day) as from_at, observed_at as to_at, reason
from derived.vault_break
where reason in ('price_reset', 'sources_disagree')
