-- What one vault holds by its newest state, largest first, and what that ultimately rests on.
-- kind: full   grain: chain, vault_address
with named as (
  select
    h.*, m.name as market_name, m.loan_symbol, m.collateral_symbol, m.lltv, v.name as vault_name
  from derived.vault_holding h
  left join derived.lending_market m
    on m.chain = h.chain and m.market_id = case when h.held_kind = 'market' then h.held end and m.valid_from <= @now and m.valid_to > @now
  left join derived.lending_vault v
    on v.chain = h.chain and v.vault_address = case when h.held_kind = 'vault' then h.held end and v.valid_from <= @now and v.valid_to > @now
),
holding as (
  select
    chain, vault_address,
    array_agg(
      cast(
        row(
          held_kind, held, coalesce(market_name, vault_name), loan_symbol, collateral_symbol, lltv, assets, round(assets_usd, 2), round(share, 8),
          market_supply, market_cash, round(supply_share, 8), withdrawable, case when absolute_cap < 1e30 then absolute_cap end,
          absolute_cap >= 1e30, relative_cap, case when cap < 1e30 then cap end, queue_index, is_liquidity, penalty, max_in, max_out
        )
        as row(
          held_kind varchar, held varchar, name varchar, loan_symbol varchar, collateral_symbol varchar, lltv double, assets double,
          assets_usd double, share double, market_supply double, market_cash double, supply_share double, withdrawable double,
          absolute_cap double, is_uncapped boolean, relative_cap double, cap double, queue_index bigint, is_liquidity boolean,
          penalty double, max_in double, max_out double
        )
      )
      order by assets desc nulls last, held
    ) as holdings,
    count(*) as positions
  from named
  group by chain, vault_address
),
backed as (
  select
    chain, vault_address,
    array_agg(
      cast(row(node, kind, name, round(share, 8)) as row(node varchar, kind varchar, name varchar, share double)) order by share desc, node
    ) as look_through,
    1 - coalesce(sum(case when kind = 'unknown' then share end), 0e0) as known_share
  from derived.vault_look_through
  group by chain, vault_address
)
select
  l.chain, l.vault_address, v.name, v.asset_symbol, l.observed_at as state_at, l.total_assets, l.idle_assets,
  coalesce(h.holdings, array[]) as holdings,
  l.is_complete as is_complete,
  coalesce(b.look_through, array[]) as look_through, round(coalesce(b.known_share, 0e0), 8) as known_share
from derived.vault_latest l
left join derived.lending_vault v
  on v.chain = l.chain and v.vault_address = l.vault_address and v.valid_from <= @now and v.valid_to > @now
left join holding h on h.chain = l.chain and h.vault_address = l.vault_address
left join backed b on b.chain = l.chain and b.vault_address = l.vault_address
