-- The shares of one vault that are collateral of loans and would be sold if their price fell by the shock of the policy, USD, at one state of
-- the vault: by the last report of the borrowers of each market that accepts the shares. Falls count from the price of that report. A tranche
-- that the shock reaches only in part makes an interval. Null unless it is known of every market, or nothing is borrowed there. A vault whose
-- shares no market accepts has no row.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   order: day, chain, vault_address, observed_at
with accepted as (
  select
    v.chain, v.vault_address, v.observed_at, v.day, m.market_id,
    case
      when m.lltv >= p.high_lltv then p.high_lltv_shock
      when m.lltv <= p.low_lltv then p.low_lltv_shock
      when m.lltv is not null then p.middle_shock
    end as shock
  from derived.lending_market m
  cross join policy.vaults p
  join derived.vault_point v
    on v.chain = m.chain and v.vault_address = m.collateral_asset and m.valid_from <= v.observed_at and m.valid_to > v.observed_at
  where v.observed_at >= @start and v.observed_at < @end
),
wanted as (
  select distinct chain, market_id from accepted
),
moment as (
  select distinct chain, market_id, observed_at as read_at, cast(null as bigint) as report_at, cast(null as bigint) as state_at, true as is_read
  from accepted
  union all
  select distinct t.chain, t.market_id, t.observed_at, t.observed_at, cast(null as bigint), false
  from obs.borrower_tranche t
  cross join policy.borrowing b
  join wanted w on w.chain = t.chain and w.market_id = t.market_id
  where t.observed_at > @start - b.tranche_max_age_s and t.observed_at < @end
  union all
  select m.chain, m.market_id, m.observed_at, cast(null as bigint), m.observed_at, false
  from obs.market_state m
  join wanted w on w.chain = m.chain and w.market_id = m.market_id
  where m.observed_at >= @start - 86400 and m.observed_at < @end
),
followed as (
  select chain, market_id, read_at, is_read, max(report_at) over so_far as report_at, max(state_at) over so_far as state_at
  from moment
  window so_far as (partition by chain, market_id order by read_at)
),
recent as (
  select
    f.chain, f.market_id, f.read_at, case when f.report_at > f.read_at - b.tranche_max_age_s then f.report_at end as report_at,
    case when f.state_at > f.read_at - l.state_max_age_s then f.state_at end as state_at
  from followed f
  cross join policy.borrowing b
  cross join policy.lending l
  where f.is_read
),
judged as (
  select
    a.chain, a.vault_address, a.observed_at, a.day, a.market_id, count(t.fall_from) as tranches, max(a.shock) as shock, max(m.borrowed) as borrowed,
    exact_double(sum(exact_decimal(case when t.fall_to <= a.shock then t.collateral_usd else 0e0 end, 38, 6))) as low_usd,
    exact_double(sum(exact_decimal(case when t.fall_from <= a.shock then t.collateral_usd else 0e0 end, 38, 6))) as high_usd
  from accepted a
  join recent r on r.chain = a.chain and r.market_id = a.market_id and r.read_at = a.observed_at
  left join obs.borrower_tranche t on t.chain = r.chain and t.market_id = r.market_id and t.observed_at = r.report_at
  left join obs.market_state m on m.chain = r.chain and m.market_id = r.market_id and m.observed_at = r.state_at
  group by a.chain, a.vault_address, a.observed_at, a.day, a.market_id
),
known as (
  select
    *,
    case when borrowed = 0 then 0e0 when tranches > 0 and shock is not null then low_usd end as known_low,
    case when borrowed = 0 then 0e0 when tranches > 0 and shock is not null then high_usd end as known_high
  from judged
)
select
  chain, vault_address, observed_at, day, count(*) as markets, count(*) - count(known_low) as unknown_markets,
  case when count(*) = count(known_low) then exact_double(sum(exact_decimal(known_low, 38, 6))) end as at_risk_low_usd,
  case when count(*) = count(known_high) then exact_double(sum(exact_decimal(known_high, 38, 6))) end as at_risk_high_usd
from known
group by chain, vault_address, observed_at, day
