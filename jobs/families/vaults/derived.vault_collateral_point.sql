-- Whether what could be withdrawn covers the collateral at risk, at one state of a vault whose shares are collateral: of the vault alone, and
-- of its set, which is all vaults of the chain with the same asset whose shares are collateral, by their last states. The shocks of one asset hit
-- all of them, and the cash of each market counts once. zone is null if something is not known that could change it. Figures are of the
-- scope that covers less. Of a set of several vaults nothing is known if one of them withdraws through a vault outside the set.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   order: day, chain, vault_address, observed_at
with own as (
  select
    c.chain, c.vault_address, c.observed_at, c.day, c.at_risk_low_usd, c.at_risk_high_usd, p.withdrawable, p.idle_assets, p.asset_price_usd, p.kind, p.unit,
    coalesce(v.asset_address, concat('of ', c.vault_address)) as asset
  from derived.vault_collateral c
  join derived.vault_point p on p.chain = c.chain and p.vault_address = c.vault_address and p.observed_at = c.observed_at
  left join derived.lending_vault v
    on v.chain = c.chain and v.vault_address = c.vault_address and v.valid_from <= c.observed_at and v.valid_to > c.observed_at
  where c.observed_at >= @start - 86400 and c.observed_at < @end and p.observed_at >= @start - 86400 and p.observed_at < @end
),
target as (
  select * from own where observed_at >= @start
),
member as (
  select distinct t.chain, t.asset, t.observed_at as read_at, v.vault_address
  from target t
  join derived.lending_vault v
    on v.chain = t.chain and v.asset_address = t.asset and v.valid_from <= t.observed_at and v.valid_to > t.observed_at
  join derived.lending_market m
    on m.chain = v.chain and m.collateral_asset = v.vault_address and m.valid_from <= t.observed_at and m.valid_to > t.observed_at
),
asked as (
  select chain, vault_address, asset, read_at, cast(null as bigint) as state_at, true as is_read from member
  union all
  select chain, vault_address, asset, observed_at, observed_at, false from own
),
followed as (
  select chain, vault_address, asset, read_at, is_read, max(state_at) over (partition by chain, vault_address order by read_at) as state_at
  from asked
),
-- The vaults of the set of one asset at each time, by their last states; a vault of which no state is recent makes it unknown.
part as (
  select
    f.chain, f.asset, f.read_at, f.vault_address, o.observed_at as state_at, o.withdrawable, o.idle_assets, o.at_risk_low_usd, o.at_risk_high_usd, o.kind,
    o.unit
  from followed f
  cross join policy.vaults v
  left join own o
    on o.chain = f.chain and o.vault_address = f.vault_address
    and o.observed_at = case when f.state_at > f.read_at - v.state_max_age_s then f.state_at end
  where f.is_read
),
reached as (
  select
    p.chain, p.asset, p.read_at, p.vault_address, p.state_at, q.held_kind, q.held, p.unit, cast(q.assets as double) as own,
    cast(q.market_cash as double) as cash
  from part p
  join obs.vault_position q on q.chain = p.chain and q.vault_address = p.vault_address and q.observed_at = p.state_at
  where (p.kind = 'morpho_v2' and q.is_liquidity or p.kind <> 'morpho_v2' and q.queue_index is not null) and q.assets <> '0'
),
outside as (
  select r.chain, r.asset, r.read_at, count(*) as positions
  from reached r
  left join part p
    on p.chain = r.chain and p.asset = r.asset and p.read_at = r.read_at and p.vault_address = case when r.held_kind = 'vault' then r.held end
  where r.held_kind <> 'market' and p.chain is null
  group by r.chain, r.asset, r.read_at
),
ranked as (
  select *, row_number() over (partition by chain, asset, read_at, held order by state_at desc, cash) as recency
  from reached
  where held_kind = 'market'
),
market as (
  select chain, asset, read_at, held, max(unit) as unit, exact_sum(own) as own, max(case when recency = 1 then cash end) as cash, count(*) - count(own) as unknown
  from ranked
  group by chain, asset, read_at, held
),
drawn as (
  select
    chain, asset, read_at, exact_sum(case when own > cash then cash else own end) / max(unit) as withdrawable,
    count(*) filter (where unknown > 0 or cash is null) as unknown
  from market
  group by chain, asset, read_at
),
summed as (
  select
    p.chain, p.asset, p.read_at, count(*) as vaults,
    case when count(*) = count(p.idle_assets) then exact_sum(p.idle_assets * p.unit) / max(p.unit) + coalesce(max(d.withdrawable), 0e0) end
      as through_markets,
    case when count(*) = count(p.withdrawable) and coalesce(max(d.unknown), 0) = 0 and max(o.positions) is null
      then exact_sum(p.withdrawable * p.unit) / max(p.unit) end as alone,
    case when count(*) = count(p.at_risk_low_usd) then exact_double(sum(exact_decimal(p.at_risk_low_usd, 38, 6))) end as at_risk_low_usd,
    case when count(*) = count(p.at_risk_high_usd) then exact_double(sum(exact_decimal(p.at_risk_high_usd, 38, 6))) end as at_risk_high_usd
  from part p
  left join drawn d on d.chain = p.chain and d.asset = p.asset and d.read_at = p.read_at
  left join outside o on o.chain = p.chain and o.asset = p.asset and o.read_at = p.read_at
  group by p.chain, p.asset, p.read_at
),
scope as (
  select
    chain, vault_address, observed_at, day, 1 as vaults, withdrawable * asset_price_usd as withdrawable_usd, at_risk_low_usd, at_risk_high_usd
  from target
  union all
  select
    t.chain, t.vault_address, t.observed_at, t.day, s.vaults,
    case when s.through_markets < s.alone then s.through_markets when s.through_markets is not null then s.alone end * t.asset_price_usd, s.at_risk_low_usd, s.at_risk_high_usd
  from target t
  join summed s on s.chain = t.chain and s.asset = t.asset and s.read_at = t.observed_at and s.vaults > 1
),
judged as (
  select
    s.*, p.buffer * s.at_risk_low_usd as required_usd,
    case
      when s.at_risk_low_usd >= p.min_at_risk_usd and round(s.withdrawable_usd - p.buffer * s.at_risk_low_usd, 4) < 0 then 'beyond'
      when s.at_risk_high_usd < p.min_at_risk_usd or round(s.withdrawable_usd - p.rearm_buffer * s.at_risk_high_usd, 4) >= 0 then 'inside'
      when round(s.withdrawable_usd - p.buffer * s.at_risk_high_usd, 4) >= 0 then 'between'
    end as zone
  from scope s
  cross join policy.vaults p
),
ordered as (
  select
    *, row_number() over (
      partition by chain, vault_address, observed_at
      order by case zone when 'beyond' then 0 when 'between' then 2 when 'inside' then 3 else 1 end, withdrawable_usd / nullif(at_risk_low_usd, 0), vaults
    ) as turn
  from judged
)
select
  chain, vault_address, observed_at, day, zone, vaults, withdrawable_usd, at_risk_low_usd, at_risk_high_usd, required_usd,
  withdrawable_usd / nullif(at_risk_low_usd, 0) as cover
from ordered
where turn = 1
