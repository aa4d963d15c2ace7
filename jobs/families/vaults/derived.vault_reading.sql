-- The positions of one vault at one block, summed, in units of its asset; what it holds in other vaults is left out. A market counts
-- once, however many contracts of the vault hold it. Cash is what all suppliers of a market together could withdraw: as the reading states
-- it, else by the market's last state, and never more than its supply. An amount that an unknown one is part of is null.
-- withdrawable assumes that no one else withdraws, withdrawable_shared that all suppliers do.
-- Amounts are added in the smallest unit of the asset. Grouping by what is held costs more than everything else here, so it is done only
-- for positions of vaults that hold through several contracts.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, vault_address, observed_at
with state as (
  select
    chain, vault_address, observed_at, day, kind, power(1e1, asset_decimals) as unit, position_count,
    cast(real_assets as double) / power(1e1, asset_decimals) as real,
    cast(coalesce(idle_assets, case when kind like 'morpho_v1%' or kind = 'euler_earn' then '0' end) as double)
      / power(1e1, asset_decimals) as idle
  from obs.vault_state
  where observed_at >= @start and observed_at < @end and asset_decimals is not null
),
lacking as (
  select p.chain, p.vault_address, p.held, p.observed_at, p.day, s.unit
  from derived.vault_part p
  join state s on s.chain = p.chain and s.vault_address = p.vault_address and s.observed_at = p.observed_at
  where p.observed_at >= @start and p.observed_at < @end and p.is_lacking
),
known as (
  select
    m.chain, m.market_id, m.observed_at, m.day, m.supplied, m.flags,
    case
      when m.borrowed > m.supplied then 0e0
      when m.withdrawable_usd is null or coalesce(m.supplied_usd, 0e0) = 0 then m.supplied - m.borrowed
      when m.borrowed is null then m.withdrawable_usd * m.supplied / m.supplied_usd
      else least(m.supplied - m.borrowed, m.withdrawable_usd * m.supplied / m.supplied_usd)
    end as cash
  from obs.market_state m
  join (select distinct chain, held from lacking) l on l.chain = m.chain and l.held = m.market_id
  where m.observed_at >= @start - 86400 and m.observed_at < @end and m.supplied is not null
),
-- The rows of a day count for that day and the next one, so that rows join by equality.
bucket as (
  select chain, market_id, observed_at, day, supplied, cash, flags from known
  union all
  select chain, market_id, observed_at, day + 86400 as day, supplied, cash, flags from known
),
latest_state as (
  select
    l.chain, l.held, l.observed_at, max_by(b.supplied, b.observed_at) as supply,
    max_by(coalesce(b.cash, -1e0), b.observed_at) as cash,
    max_by(b.flags like '%more_than_free%', b.observed_at) as is_above
  from (select distinct chain, held, observed_at, day from lacking) l
  cross join policy.lending p
  join bucket b
    on b.chain = l.chain and b.market_id = l.held and b.day = l.day and b.observed_at <= l.observed_at
    and b.observed_at > l.observed_at - p.state_max_age_s
  group by l.chain, l.held, l.observed_at
),
found as (
  select distinct
    l.chain, l.vault_address, l.observed_at, l.held, t.supply * l.unit as supply, nullif(t.cash, -1e0) * l.unit as cash, t.is_above
  from lacking l
  join latest_state t on t.chain = l.chain and t.held = l.held and t.observed_at = l.observed_at
),
-- Vaults that hold something through several contracts.
several as (
  select chain, vault_address
  from derived.vault_part
  where observed_at >= @start and observed_at < @end
  group by chain, vault_address
  having min(holder_address) <> max(holder_address)
),
filled as (
  select
    p.chain, p.vault_address, p.observed_at, p.held_kind, p.held, p.is_liquidity, p.queue_index, p.own, p.penalty, p.max_in, p.max_out, p.cap,
    coalesce(p.supply, t.supply) as supply, coalesce(p.cash, t.cash) as cash, coalesce(p.cash > p.supply, t.is_above, false) as is_above
  from derived.vault_part p
  left join found t
    on t.chain = p.chain and t.vault_address = p.vault_address and t.observed_at = p.observed_at and t.held = p.held
  where p.observed_at >= @start and p.observed_at < @end and p.is_lacking
  union all
  select
    p.chain, p.vault_address, p.observed_at, p.held_kind, p.held, p.is_liquidity, p.queue_index, p.own, p.penalty, p.max_in, p.max_out, p.cap,
    p.supply, p.cash, coalesce(p.cash > p.supply, false)
  from derived.vault_part p
  join several s on s.chain = p.chain and s.vault_address = p.vault_address
  where p.observed_at >= @start and p.observed_at < @end and not p.is_lacking
),
market as (
  select
    p.chain, p.vault_address, p.observed_at, p.held_kind, 1 as parts, case when p.own is null then 0 else 1 end as known_parts,
    case when p.is_liquidity is null then 0 else 1 end as judged_parts, case when p.queue_index is null then 0 else 1 end as queued_parts,
    p.own, case when p.cash > p.supply then p.supply else p.cash end as cash, p.supply, p.penalty,
    coalesce(p.cash > p.supply, false) as is_above, case when p.is_liquidity then p.own end as own_liquid,
    case when not p.is_liquidity then p.own end as own_other, case when p.queue_index is not null then p.own end as own_queued, p.max_in,
    p.max_out, p.cap
  from derived.vault_part p
  left join several s on s.chain = p.chain and s.vault_address = p.vault_address
  where p.observed_at >= @start and p.observed_at < @end and s.chain is null and not p.is_lacking
  union all
  select
    chain, vault_address, observed_at, max(held_kind), count(*), count(own), count(is_liquidity), count(queue_index), exact_sum(own),
    max(case when cash > supply then supply else cash end), max(supply), max(penalty), bool_or(is_above),
    exact_sum(case when is_liquidity then own end), exact_sum(case when not is_liquidity then own end),
    exact_sum(case when queue_index is not null then own end), max(max_in), max(max_out), max(cap)
  from filled
  group by chain, vault_address, observed_at, held
),
-- What of an amount can be withdrawn: nothing of nothing, and unknown without the cash.
drawn as (
  select
    *,
    case when own_liquid = 0 then 0e0 when own_liquid > cash then cash when cash is not null then own_liquid end as out_liquid,
    case when own_other = 0 then 0e0 when own_other > cash then cash when cash is not null then own_other end as out_other,
    case when own_queued = 0 then 0e0 when own_queued > cash then cash when cash is not null then own_queued end as out_queued,
    case when own = 0 then 0e0 when own > 0 and supply > 0 then own * cash / supply end as out_shared,
    case when own is not null and cash is not null and max_out is not null then least(own, cash, max_out) end as movable
  from market
),
summed as (
  select
    chain, vault_address, observed_at,
    cast(sum(parts) as bigint) as positions,
    cast(sum(parts - known_parts) as bigint) as unknown_positions,
    cast(sum(case when held_kind = 'vault' then parts else 0 end) as bigint) as vault_positions,
    cast(sum(case when held_kind = 'unknown' then parts else 0 end) as bigint) as unread_positions,
    cast(sum(parts - judged_parts) as bigint) as unjudged_positions,
    cast(sum(queued_parts) as bigint) as queued_positions,
    exact_sum(own) as assets,
    max(own) as largest_assets,
    exact_sum(case when held_kind = 'market' then out_liquid else 0e0 end) as out_liquid,
    count(*) filter (where held_kind = 'market' and own_liquid is not null and out_liquid is null) as unknown_liquid,
    exact_sum(case when held_kind = 'market' then out_other else 0e0 end) as out_other,
    count(*) filter (where held_kind = 'market' and own_other is not null and out_other is null) as unknown_other,
    exact_sum(case when held_kind = 'market' then out_queued else 0e0 end) as out_queued,
    count(*) filter (where held_kind = 'market' and own_queued is not null and out_queued is null) as unknown_queued,
    exact_sum(case when held_kind = 'market' then out_shared else 0e0 end) as out_shared,
    count(*) filter (where held_kind = 'market' and out_shared is null) as unknown_shared,
    max(case when own_other > 0 then penalty end) as penalty,
    count(*) filter (where own_other > 0 and penalty is null) as unknown_penalties,
    exact_sum(movable) as movable,
    count(*) filter (where (max_in is not null or max_out is not null) and movable is null) as unknown_movable,
    count(*) filter (where max_in is null) as unlimited_markets,
    bool_or(is_above) as is_liquidity_above_supply
  from drawn
  group by chain, vault_address, observed_at
),
-- The most that the public allocator can move into one market.
allocator as (
  select
    d.chain, d.vault_address, d.observed_at,
    max(case when d.cap < d.own then 0e0 else least(s.movable - d.movable, d.max_in, d.cap - d.own) end) as received
  from drawn d
  join summed s on s.chain = d.chain and s.vault_address = d.vault_address and s.observed_at = d.observed_at
  where d.max_in is not null and d.cap is not null and s.unknown_movable = 0 and s.unlimited_markets = 0
  group by d.chain, d.vault_address, d.observed_at
),
checked as (
  select
    s.chain, s.vault_address, s.observed_at, s.day, s.kind, s.unit, s.idle, coalesce(u.positions, 0) as positions,
    coalesce(u.vault_positions, 0) as vault_positions, u.unread_positions, u.assets / s.unit as assets,
    u.largest_assets / s.unit as largest_assets, u.penalty, u.is_liquidity_above_supply,
    u.out_liquid / s.unit as out_liquid, u.unknown_liquid, u.out_other / s.unit as out_other, u.unknown_other,
    u.out_queued / s.unit as out_queued, u.unknown_queued, u.out_shared / s.unit as out_shared, u.unknown_shared,
    u.unjudged_positions, u.queued_positions, u.unknown_penalties, a.received / s.unit as received,
    coalesce(
      coalesce(u.unknown_positions, 0) = 0 and coalesce(s.position_count = coalesce(u.positions, 0), true)
        and (s.position_count is not null or s.real is not null)
        -- Each position may be rounded down by a unit.
        and coalesce(
          abs(coalesce(u.assets / s.unit, 0e0) + coalesce(s.idle, 0e0) - s.real)
            <= (coalesce(u.positions, 0) + 2) / s.unit + 1e-9 * s.real,
          true
        ),
      false
    ) as is_complete
  from state s
  left join summed u on u.chain = s.chain and u.vault_address = s.vault_address and u.observed_at = s.observed_at
  left join allocator a on a.chain = s.chain and a.vault_address = s.vault_address and a.observed_at = s.observed_at
)
select
  chain, vault_address, observed_at, day, kind, unit, positions, vault_positions, is_complete,
  coalesce(is_liquidity_above_supply, false) as is_liquidity_above_supply, assets, largest_assets, idle,
  case
    when not is_complete or kind in ('erc4626', 'unknown') then null
    when positions = 0 then idle
    when kind = 'morpho_v2' then case when unjudged_positions = 0 and unknown_liquid = 0 then idle + coalesce(out_liquid, 0e0) end
    when queued_positions > 0 and unknown_queued = 0 then idle + coalesce(out_queued, 0e0)
  end as withdrawable,
  case
    when is_complete and kind not in ('erc4626', 'unknown') and coalesce(unread_positions, 0) = 0 and coalesce(unknown_shared, 0) = 0
      then idle + coalesce(out_shared, 0e0)
  end as withdrawable_shared,
  case
    when is_complete and kind = 'morpho_v2' and coalesce(unread_positions, 0) = 0 and coalesce(unjudged_positions, 0) = 0
      and coalesce(unknown_other, 0) = 0 then coalesce(out_other, 0e0)
  end as force_withdrawable,
  case when kind = 'morpho_v2' and coalesce(unknown_penalties, 0) = 0 then penalty end as force_penalty,
  case
    when is_complete and kind in ('morpho_v1_0', 'morpho_v1_1') then received
  end as reallocatable
from checked
