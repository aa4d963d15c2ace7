-- One market or vault in which one vault holds something, by its newest state, in units of the vault's asset: several positions in it are
-- one. share is of what backs the vault. cap is the lower of both caps, as an amount; null if it is unknown, 1e30 without a limit. Each
-- contract through which the vault holds something has caps of its own, so those of several are added up.
-- kind: full   grain: chain, vault_address, held
with position as (
  select
    l.chain, l.vault_address, l.observed_at, l.unit, l.asset_price_usd, l.total_assets, l.is_complete, p.held_kind, p.held,
    cast(p.assets as double) / l.unit as own, cast(p.market_supply as double) / l.unit as supply, cast(p.market_cash as double) / l.unit as cash,
    p.queue_index, p.is_liquidity, cast(p.penalty as double) / 1e18 as penalty,
    cast(p.max_in as double) / l.unit as max_in, cast(p.max_out as double) / l.unit as max_out,
    case
      when p.absolute_cap = '340282366920938463463374607431768211455' then 1e30
      else cast(p.absolute_cap as double) / l.unit
    end as absolute_cap,
    case
      when cast(p.relative_cap as double) < 1e18 then cast(p.relative_cap as double) / 1e18
      when p.relative_cap is not null or coalesce(l.kind, '') <> 'morpho_v2' then 1e0
    end as relative_cap
  from derived.vault_latest l
  join obs.vault_position p on p.chain = l.chain and p.vault_address = l.vault_address and p.observed_at = l.observed_at
),
limited as (
  select
    *,
    case
      when relative_cap >= 1 then absolute_cap
      when relative_cap * total_assets < absolute_cap then relative_cap * total_assets
      when relative_cap * total_assets >= absolute_cap then absolute_cap
    end as cap
  from position
),
summed as (
  select
    chain, vault_address, observed_at, held_kind, held, max(asset_price_usd) as asset_price_usd, max(total_assets) as total_assets,
    bool_and(is_complete) as is_complete, case when count(*) = count(own) then exact_sum(own * unit) / max(unit) end as own, max(supply) as supply, max(cash) as cash,
    min(queue_index) as queue_index, bool_or(is_liquidity) as is_liquidity, max(penalty) as penalty, max(max_in) as max_in, max(max_out) as max_out,
    case
      when count(*) > count(absolute_cap) then null
      when max(absolute_cap) >= 1e30 then 1e30
      when count(*) = 1 then max(absolute_cap)
      else exact_sum(absolute_cap * unit) / max(unit)
    end as absolute_cap,
    case
      when count(*) > count(relative_cap) then null
      when count(*) = 1 then max(relative_cap)
      when exact_sum(relative_cap * 1e18) >= 1e18 then 1e0
      else exact_sum(relative_cap * 1e18) / 1e18
    end as relative_cap,
    case
      when count(*) > count(cap) then null
      when max(cap) >= 1e30 then 1e30
      when count(*) = 1 then max(cap)
      else exact_sum(cap * unit) / max(unit)
    end as cap
  from limited
  group by chain, vault_address, observed_at, held_kind, held
),
backed as (
  select
    l.chain, l.vault_address, l.idle_assets,
    exact_sum(s.own * l.unit) / max(l.unit) + coalesce(max(l.idle_assets), 0e0) as real
  from derived.vault_latest l
  join summed s on s.chain = l.chain and s.vault_address = l.vault_address
  group by l.chain, l.vault_address, l.idle_assets
),
filled as (
  select
    s.chain, s.vault_address, s.observed_at, s.held_kind, s.held, s.asset_price_usd, s.total_assets, s.own, b.real, s.is_complete,
    coalesce(s.supply, m.supplied) as supply,
    coalesce(s.cash, case
      when m.borrowed > m.supplied then 0e0
      when m.withdrawable_usd is null or coalesce(m.supplied_usd, 0e0) = 0 then m.supplied - m.borrowed
      when m.borrowed is null then m.withdrawable_usd * m.supplied / m.supplied_usd
      else least(m.supplied - m.borrowed, m.withdrawable_usd * m.supplied / m.supplied_usd)
    end) as cash,
    s.queue_index, s.is_liquidity, s.penalty, s.max_in, s.max_out, s.absolute_cap, s.relative_cap, s.cap
  from summed s
  cross join policy.lending p
  left join backed b on b.chain = s.chain and b.vault_address = s.vault_address
  left join derived.market_day m
    on m.chain = s.chain and m.market_id = case when s.held_kind = 'market' then s.held end and m.day = @now - @now % 86400
    and m.last_at > s.observed_at - p.state_max_age_s
)
select
  chain, vault_address, observed_at, held_kind, held, own as assets, own * asset_price_usd as assets_usd,
  case when is_complete and real > 0 then own / real end as share,
  supply as market_supply, case when cash > supply then supply else cash end as market_cash,
  case when supply > 0 then own / supply end as supply_share,
  case when own = 0 then 0e0 when own > case when cash > supply then supply else cash end then case when cash > supply then supply else cash end
    when cash is not null then own end as withdrawable,
  absolute_cap, relative_cap, cap,
  queue_index, is_liquidity, penalty, max_in, max_out
from filled
