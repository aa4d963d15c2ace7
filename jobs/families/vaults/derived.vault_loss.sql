-- Bad debt that has not been written off yet, as far as one vault bears it at one state, USD: its share of the interval of each market by
-- that market's last price of its oracle, and of each vault that it holds by that vault's last state. Null unless it is known of every
-- market, or nothing is lent there. A vault whose holdings are not read has no row.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, vault_address, observed_at
with state as (
  select chain, vault_address, observed_at, day, unit, total_assets, is_complete
  from derived.vault_point
  where observed_at >= @start and observed_at < @end and kind not in ('erc4626', 'unknown')
),
-- The markets at each time that a vault was read.
read as (
  select chain, held as market_id, observed_at as read_at
  from obs.vault_position
  where observed_at >= @start and observed_at < @end and held_kind = 'market'
  group by chain, held, observed_at
),
-- Numbers sort faster than texts.
wanted as (
  select chain, market_id, row_number() over (order by chain, market_id) as number from read group by chain, market_id
),
-- The last price and the last state of each market at each of them.
moment as (
  select w.number, r.read_at, cast(null as bigint) as price_at, cast(null as bigint) as state_at, true as is_read
  from read r
  join wanted w on w.chain = r.chain and w.market_id = r.market_id
  union all
  select w.number, o.observed_at, o.observed_at, null, false
  from derived.oracle_point o
  join wanted w on w.chain = o.chain and w.market_id = o.market_id
  where o.observed_at >= @start - 86400 and o.observed_at < @end
  union all
  select w.number, m.observed_at, null, m.observed_at, false
  from obs.market_state m
  join wanted w on w.chain = m.chain and w.market_id = m.market_id
  where m.observed_at >= @start - 86400 and m.observed_at < @end
),
followed as (
  select number, read_at, is_read, max(price_at) over so_far as price_at, max(state_at) over so_far as state_at
  from moment
  window so_far as (partition by number order by read_at)
),
market as (
  select
    w.chain, w.market_id, f.read_at, m.supplied,
    case when o.bad_debt_low_usd is not null then o.bad_debt_low_usd when m.borrowed = 0 then 0e0 end as low_usd,
    case when o.bad_debt_high_usd is not null then o.bad_debt_high_usd when m.borrowed = 0 then 0e0 end as high_usd
  from followed f
  join wanted w on w.number = f.number
  cross join policy.oracle_paths p
  cross join policy.lending l
  left join derived.oracle_point o
    on o.chain = w.chain and o.market_id = w.market_id
    and o.observed_at = case when f.price_at > f.read_at - p.price_max_age_s then f.price_at end
  left join obs.market_state m
    on m.chain = w.chain and m.market_id = w.market_id and m.observed_at = case when f.state_at > f.read_at - l.state_max_age_s then f.state_at end
  where f.is_read
),
-- A supply that the reading lacks is that of the market's last state, in the smallest unit.
supplied as (
  select
    chain, vault_address, observed_at, held_kind, held, cast(assets as double) as own, cast(market_supply as double) as supply
  from obs.vault_position
  where observed_at >= @start and observed_at < @end and (market_supply is not null or held_kind <> 'market')
  union all
  select
    p.chain, p.vault_address, p.observed_at, p.held_kind, p.held, cast(p.assets as double), m.supplied * s.unit
  from obs.vault_position p
  join state s on s.chain = p.chain and s.vault_address = p.vault_address and s.observed_at = p.observed_at
  left join market m on m.chain = p.chain and m.market_id = p.held and m.read_at = p.observed_at
  where p.observed_at >= @start and p.observed_at < @end and p.market_supply is null and p.held_kind = 'market'
),
part as (
  select
    p.chain, p.vault_address, p.observed_at, p.held_kind,
    case when p.own = 0 or m.low_usd = 0 then 0e0 else m.low_usd * p.own / nullif(p.supply, 0) end as low_usd,
    case when p.own = 0 or m.high_usd = 0 then 0e0 else m.high_usd * p.own / nullif(p.supply, 0) end as high_usd
  from supplied p
  left join market m
    on m.chain = p.chain and m.market_id = case when p.held_kind = 'market' then p.held end and m.read_at = p.observed_at
),
summed as (
  select
    chain, vault_address, observed_at, exact_sum(low_usd) as low_usd, exact_sum(high_usd) as high_usd,
    count(*) filter (where held_kind = 'vault') as vault_positions,
    count(*) filter (where held_kind <> 'vault' and (low_usd is null or high_usd is null)) as unknown
  from part
  group by chain, vault_address, observed_at
),
direct as (
  select
    s.chain, s.vault_address, s.observed_at, s.day, s.unit, s.total_assets, s.is_complete, p.low_usd, p.high_usd,
    coalesce(p.vault_positions, 0) as vault_positions, coalesce(p.unknown, 0) as unknown
  from state s
  left join summed p on p.chain = s.chain and p.vault_address = s.vault_address and p.observed_at = s.observed_at
),
own as (
  select
    chain, vault_address, observed_at, day, unit, total_assets, vault_positions,
    case when is_complete and unknown = 0 then coalesce(low_usd, 0e0) end as low_usd,
    case when is_complete and unknown = 0 then coalesce(high_usd, 0e0) end as high_usd
  from direct
),
inner_position as (
  select chain, vault_address, observed_at, held, cast(assets as double) as own
  from obs.vault_position
  where observed_at >= @start and observed_at < @end and held_kind = 'vault'
),
-- Only what holds no vaults itself is looked through.
held as (
  select o.chain, o.vault_address, o.observed_at, o.total_assets, o.low_usd, o.high_usd
  from (
    select chain, vault_address, observed_at, total_assets, low_usd, high_usd from own where vault_positions = 0
    union all
    select chain, vault_address, observed_at, total_assets, low_usd, high_usd
    from derived.vault_loss
    where day = @start - 86400 and vault_positions = 0
  ) o
  join (select distinct chain, held from inner_position) p on p.chain = o.chain and p.held = o.vault_address
),
asked as (
  select distinct chain, held as vault_address, observed_at as read_at, cast(null as bigint) as state_at, true as is_read
  from inner_position
  union all
  select chain, vault_address, observed_at, observed_at, false from held
),
reached as (
  select chain, vault_address, read_at, is_read, max(state_at) over (partition by chain, vault_address order by read_at) as state_at
  from asked
),
found as (
  select r.chain, r.vault_address, r.read_at, case when r.state_at > r.read_at - v.state_max_age_s then r.state_at end as state_at
  from reached r
  cross join policy.vaults v
  where r.is_read
),
inner_loss as (
  select
    p.chain, p.vault_address, p.observed_at,
    exact_sum(case when p.own = 0 then 0e0 else h.low_usd * p.own / s.unit / nullif(h.total_assets, 0) end) as low_usd,
    exact_sum(case when p.own = 0 then 0e0 else h.high_usd * p.own / s.unit / nullif(h.total_assets, 0) end) as high_usd,
    count(*) filter (where p.own is null or p.own > 0 and (h.low_usd is null or h.high_usd is null or coalesce(h.total_assets, 0e0) = 0)) as unknown
  from inner_position p
  join state s on s.chain = p.chain and s.vault_address = p.vault_address and s.observed_at = p.observed_at
  join found f on f.chain = p.chain and f.vault_address = p.held and f.read_at = p.observed_at
  left join held h on h.chain = f.chain and h.vault_address = f.vault_address and h.observed_at = f.state_at
  group by p.chain, p.vault_address, p.observed_at
)
select
  o.chain, o.vault_address, o.observed_at, o.day, o.total_assets, o.vault_positions,
  case when o.vault_positions = 0 then o.low_usd when i.unknown = 0 then o.low_usd + i.low_usd end as low_usd,
  case when o.vault_positions = 0 then o.high_usd when i.unknown = 0 then o.high_usd + i.high_usd end as high_usd
from own o
left join inner_loss i on i.chain = o.chain and i.vault_address = o.vault_address and i.observed_at = o.observed_at
