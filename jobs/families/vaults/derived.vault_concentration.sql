-- How concentrated the collateral behind the loans of one vault is: the sum of the squared shares of each collateral in what it lends,
-- through the vaults that it holds. Null where a collateral is unknown, as it is behind a held vault that holds vaults itself.
-- kind: full   grain: chain, vault_address
with direct as (
  select chain, vault_address, held_kind, held, share from derived.vault_holding where share > 0 or share is null
),
part as (
  select chain, vault_address, held_kind, held, share from direct where held_kind <> 'vault'
  union all
  select d.chain, d.vault_address, coalesce(i.held_kind, 'unknown') as held_kind, coalesce(i.held, d.held) as held, d.share * i.share as share
  from direct d
  left join direct i on i.chain = d.chain and i.vault_address = d.held
  where d.held_kind = 'vault'
),
lent as (
  select p.chain, p.vault_address, p.held, p.share, upper(m.collateral_symbol) as collateral, p.held_kind = 'market' and m.chain is not null as is_known
  from part p
  left join derived.lending_market m
    on m.chain = p.chain and m.market_id = case when p.held_kind = 'market' then p.held end and m.valid_from <= @now and m.valid_to > @now
),
summed as (
  select chain, vault_address, collateral, exact_sum(share * 1e18) / 1e18 as share, bool_and(is_known and share is not null and collateral is not null) as is_known
  from lent
  group by chain, vault_address, collateral
)
select
  chain, vault_address,
  case when bool_and(is_known) and exact_sum(share * 1e18) > 0
    then exact_sum(share * share * 1e36) / (exact_sum(share * 1e18) * exact_sum(share * 1e18)) end as collateral_hhi
from summed
group by chain, vault_address
