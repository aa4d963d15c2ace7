-- One thing that ultimately backs one vault, and the share of what backs the vault that it accounts for: the lent part of a market is backed
-- by its collateral, the rest by the lent asset, and an asset by what its reports say. Held vaults are resolved once, assets three times; an
-- asset without a report stands for itself. What no report accounts for is `unknown`.
-- kind: full   grain: chain, vault_address, node
with direct as (
  select chain, vault_address, held_kind, held, share from derived.vault_holding where share > 0
),
market as (
  select chain, vault_address, held, share from direct where held_kind = 'market'
  union all
  select d.chain, d.vault_address, i.held, d.share * i.share as share
  from direct d
  join direct i on i.chain = d.chain and i.vault_address = d.held
  where d.held_kind = 'vault' and i.held_kind = 'market'
),
-- What the vault itself holds: all of it, if it holds nothing else.
idle as (
  select l.chain, l.vault_address, upper(v.asset_symbol) as symbol, 1 - coalesce(exact_sum(h.share * 1e18), 0e0) / 1e18 as share
  from derived.vault_latest l
  join derived.lending_vault v
    on v.chain = l.chain and v.vault_address = l.vault_address and v.valid_from <= @now and v.valid_to > @now
  left join direct h on h.chain = l.chain and h.vault_address = l.vault_address
  where v.asset_symbol is not null and l.is_complete and l.idle_assets > 0
  group by l.chain, l.vault_address, upper(v.asset_symbol)
),
own as (
  select chain, vault_address, symbol, share from idle
  union all
  select d.chain, d.vault_address, i.symbol, d.share * i.share as share
  from direct d
  join idle i on i.chain = d.chain and i.vault_address = d.held
  where d.held_kind = 'vault'
),
lent as (
  select m.chain, m.vault_address, h.held_node as node, 'asset' as kind, h.held_name as name, m.share * h.share as share
  from market m
  join derived.market_holding h on h.node = concat('market:', m.chain, ':', m.held)
  union all
  select chain, vault_address, concat('asset:', symbol) as node, 'asset' as kind, symbol as name, share from own where share > 0
),
reported as (
  select b.*, max(b.observed_at) over (partition by b.node) as newest_at
  from obs.asset_backing b
  cross join policy.exposure p
  where b.observed_at <= @now and b.observed_at > @now - p.backing_max_age_s
),
backing as (
  select node, held_node, held_kind, held_name, share from reported where observed_at = newest_at and held_node is not null
),
once as (
  select
    a.chain, a.vault_address, coalesce(b.held_node, a.node) as node, coalesce(b.held_kind, a.kind) as kind, coalesce(b.held_name, a.name) as name,
    a.share * coalesce(b.share, 1e0) as share
  from lent a
  left join backing b on b.node = a.node
),
again as (
  select
    a.chain, a.vault_address, coalesce(b.held_node, a.node) as node, coalesce(b.held_kind, a.kind) as kind, coalesce(b.held_name, a.name) as name,
    a.share * coalesce(b.share, 1e0) as share
  from once a
  left join backing b on b.node = a.node
),
thrice as (
  select
    a.chain, a.vault_address, coalesce(b.held_node, a.node) as node, coalesce(b.held_kind, a.kind) as kind, coalesce(b.held_name, a.name) as name,
    a.share * coalesce(b.share, 1e0) as share
  from again a
  left join backing b on b.node = a.node
),
summed as (
  select chain, vault_address, node, kind, max(name) as name, exact_sum(share * 1e18) / 1e18 as share
  from thrice
  group by chain, vault_address, node, kind
)
select chain, vault_address, node, kind, name, share from summed
union all
select d.chain, d.vault_address, 'unknown' as node, 'unknown' as kind, cast(null as varchar) as name, 1 - coalesce(s.share, 0e0) as share
from (select chain, vault_address from direct union select chain, vault_address from own where share > 0) d
left join (select chain, vault_address, exact_sum(share * 1e18) / 1e18 as share from summed group by chain, vault_address) s
  on s.chain = d.chain and s.vault_address = d.vault_address
where coalesce(s.share, 0e0) < 1 - 0.000001
