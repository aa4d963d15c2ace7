-- Bad debt that has not been written off yet, in the markets of one vault, as far as the vault would bear it: its share of each market's
-- supply, through the vaults that it holds, by their last states if these are recent enough. An interval; null unless it is known of every
-- market, or nothing is lent there, and for what is held through a vault that holds vaults itself.
-- kind: full   grain: chain, vault_address
with part as (
  select chain, vault_address, held_kind, held, supply_share, assets from derived.vault_holding where held_kind <> 'vault'
  union all
  select
    h.chain, h.vault_address, coalesce(i.held_kind, 'unknown') as held_kind, coalesce(i.held, h.held) as held,
    i.supply_share * h.assets / nullif(l.total_assets, 0) as supply_share,
    -- Nothing is lent by a vault that holds nothing.
    case when i.assets = 0 or i.chain is null and l.kind not in ('erc4626', 'unknown') then 0e0 else h.assets end as assets
  from derived.vault_holding h
  cross join policy.vaults p
  left join derived.vault_latest l
    on l.chain = h.chain and l.vault_address = h.held and l.is_complete and l.observed_at > h.observed_at - p.state_max_age_s
  left join derived.vault_holding i on i.chain = l.chain and i.vault_address = l.vault_address
  where h.held_kind = 'vault'
),
judged as (
  select
    p.chain, p.vault_address,
    case
      when p.assets = 0 then 0e0
      when p.held_kind <> 'market' then null
      when o.bad_debt_low_usd is not null then o.bad_debt_low_usd * p.supply_share
      when m.borrowed = 0 or m.borrowed_usd = 0 then 0e0
    end as low_usd,
    case
      when p.assets = 0 then 0e0
      when p.held_kind <> 'market' then null
      when o.bad_debt_high_usd is not null then o.bad_debt_high_usd * p.supply_share
      when m.borrowed = 0 or m.borrowed_usd = 0 then 0e0
    end as high_usd
  from part p
  left join derived.oracle_path o on o.chain = p.chain and o.market_id = case when p.held_kind = 'market' then p.held end
  left join derived.market_day m
    on m.chain = p.chain and m.market_id = case when p.held_kind = 'market' then p.held end and m.day = @now - @now % 86400
),
summed as (
  select
    chain, vault_address, exact_sum(low_usd) as low_usd, exact_sum(high_usd) as high_usd,
    count(*) filter (where low_usd is null or high_usd is null) as unknown
  from judged
  group by chain, vault_address
)
select
  l.chain, l.vault_address,
  case when l.is_complete and coalesce(s.unknown, 0) = 0 then coalesce(s.low_usd, 0e0) end as low_usd,
  case when l.is_complete and coalesce(s.unknown, 0) = 0 then coalesce(s.high_usd, 0e0) end as high_usd
from derived.vault_latest l
left join summed s on s.chain = l.chain and s.vault_address = l.vault_address
where l.kind not in ('erc4626', 'unknown')
