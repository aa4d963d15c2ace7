-- The observation that confirmed the break of an assumption, or its end, or at which it is more severe than at any of the 32 days before since its
-- break (edge `rise`), with the sums over all markets that rest on it, the 20 largest of them by debt, and the 20 vaults with the most in them.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   order: observed_at, chain, assumption_id
with counted as (
  select
    *, sum(case when edge = 'start' then 1 else 0 end) over (
      partition by chain, assumption_id order by observed_at rows between unbounded preceding and current row
    ) as break_number
  from derived.assumption_level
  where observed_at > @start - 2764800 and observed_at < @end
),
compared as (
  select
    *, max(level) over (
      partition by chain, assumption_id, break_number order by observed_at range between 2764800 preceding and 1 preceding
    ) as highest_before
  from counted
),
edge as (
  select
    chain, assumption_id, observed_at, case when edge = 'still' then 'rise' else edge end as edge, since_at, zone, markets, debt_usd, low_usd, high_usd,
    unjust_usd, is_above_market, block_number, unknown_markets,
    -- An end is of as much note as what it ends.
    case when edge = 'end' then coalesce(highest_before, level) else level end as level
  from compared
  where observed_at >= @start and (edge <> 'still' or level > highest_before)
),
market as (
  select
    m.*, row_number() over (partition by m.chain, m.assumption_id, m.observed_at order by m.debt_usd desc nulls last, m.market_id) as place
  from derived.assumption_edge_market m
  join edge e on e.chain = m.chain and e.assumption_id = m.assumption_id and e.observed_at = m.observed_at
  where m.observed_at >= @start and m.observed_at < @end
),
listed as (
  select
    chain, assumption_id, observed_at,
    array_agg(
      cast(
        row(market_id, oracle_address, price, market_price, round(debt_usd, 2), low_usd, high_usd)
        as row(
          market_id varchar, oracle_address varchar, price double, market_price double, debt_usd double, unrealised_bad_debt_low_usd double,
          unrealised_bad_debt_high_usd double
        )
      )
      order by place
    ) filter (where place <= 20) as market_list
  from market
  group by chain, assumption_id, observed_at
),
held as (
  select
    m.chain, m.assumption_id, m.observed_at, v.node, v.observed_at as reported_at, v.value_usd, v.share, m.low_usd * v.value_usd / nullif(m.supplied_usd, 0e0) as low_usd,
    m.high_usd * v.value_usd / nullif(m.supplied_usd, 0e0) as high_usd,
    max(v.observed_at) over (partition by m.chain, m.assumption_id, m.observed_at, v.node) as newest_at
  from market m
  cross join policy.exposure p
  join obs.vault_allocation v on v.held_node = concat('market:', m.chain, ':', m.market_id) and v.observed_at <= m.observed_at
  where v.observed_at > m.observed_at - p.allocation_max_age_s and v.observed_at > @start - 864000 and v.observed_at < @end
),
vault as (
  select
    chain, assumption_id, observed_at, node, exact_double(sum(exact_decimal(value_usd, 38, 8))) as value_usd, exact_double(sum(exact_decimal(share, 38, 8))) as share,
    case when count(low_usd) = count(*) then exact_double(sum(exact_decimal(low_usd, 38, 8))) end as low_usd, case when count(high_usd) = count(*) then exact_double(sum(exact_decimal(high_usd, 38, 8))) end as high_usd
  from held
  where reported_at = newest_at
  group by chain, assumption_id, observed_at, node
),
ranked as (
  select *, row_number() over (partition by chain, assumption_id, observed_at order by value_usd desc, node) as place from vault
),
vaults as (
  select
    chain, assumption_id, observed_at, count(*) as vaults,
    array_agg(
      cast(
        row(node, round(value_usd, 2), round(share, 8), round(low_usd, 2), round(high_usd, 2))
        as row(vault varchar, exposure_usd double, share_of_assets double, loss_low_usd double, loss_high_usd double)
      )
      order by place
    ) filter (where place <= 20) as vault_list
  from ranked
  group by chain, assumption_id, observed_at
)
select
  s.chain, s.assumption_id, s.observed_at, s.edge, s.since_at, s.zone, b.kind, b.statement, b.left_symbol, b.right_symbol, o.assumed,
  o.observed, round(o.gap_bps, 2) as gap_bps, round(coalesce(o.enter_bps, b.enter_bps), 2) as enter_bps, o.sources, o.source_feeds, o.source_values,
  coalesce(o.is_disputed, false) as is_disputed, coalesce(o.is_single_source, false) as is_single_source, s.markets,
  round(s.debt_usd, 2) as debt_usd, round(s.low_usd, 2) as low_usd, round(s.high_usd, 2) as high_usd, round(s.unjust_usd, 2) as unjust_usd,
  s.is_above_market, s.unknown_markets, s.block_number, l.market_list, coalesce(v.vaults, 0) as vaults, v.vault_list, s.level
from edge s
join derived.assumption_band b on b.chain = s.chain and b.assumption_id = s.assumption_id
left join derived.assumption_observation o on o.chain = s.chain and o.assumption_id = s.assumption_id and o.observed_at = s.observed_at
left join listed l on l.chain = s.chain and l.assumption_id = s.assumption_id and l.observed_at = s.observed_at
left join vaults v on v.chain = s.chain and v.assumption_id = s.assumption_id and v.observed_at = s.observed_at
