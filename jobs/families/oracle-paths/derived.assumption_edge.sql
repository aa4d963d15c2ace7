-- The observation that confirmed the break of an assumption, or its end, with the sums over all markets that rest on it, the 20 largest of
-- them by debt, and the 20 vaults with the most in them. A path is broken only if no other assumption of its market explains the price gap.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   order: observed_at, chain, assumption_id
with market as (
  select
    *, row_number() over (partition by chain, assumption_id, observed_at order by debt_usd desc nulls last, market_id) as place
  from derived.assumption_edge_market
  where observed_at >= @start and observed_at < @end
),
summed as (
  select
    chain, assumption_id, observed_at, min(edge) as edge, min(zone) as zone, count(*) as markets, exact_double(sum(exact_decimal(debt_usd, 38, 8))) as debt_usd, exact_double(sum(exact_decimal(low_usd, 38, 8))) as low_usd,
    exact_double(sum(exact_decimal(high_usd, 38, 8))) as high_usd, exact_double(sum(exact_decimal(unjust_usd, 38, 8))) as unjust_usd, max(case when share < 1 then 1 else 0 end) = 1 as is_above_market, max(block_number) as block_number,
    count(*) filter (where low_usd is null) as unknown_markets,
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
),
-- Other assumptions of the same market that the last observation before has beyond their band.
explained as (
  select distinct s.chain, s.assumption_id, s.observed_at
  from summed s
  join derived.path_assumption a on a.chain = s.chain and a.assumption_id = s.assumption_id and a.kind = 'path'
  join derived.path_assumption x
    on x.chain = a.chain and x.market_id = a.market_id and x.kind <> 'path' and x.valid_from <= s.observed_at and x.valid_to > s.observed_at
  join derived.assumption_observation o on o.chain = x.chain and o.assumption_id = x.assumption_id
  where o.observed_at <= s.observed_at and o.observed_at > s.observed_at - 86400 and o.observed_at >= @start - 86400 and o.observed_at < @end and o.zone = 'beyond'
)
select
  s.chain, s.assumption_id, s.observed_at, s.edge, s.zone, b.kind, b.statement, b.left_symbol, b.right_symbol, o.assumed, o.observed, round(o.gap_bps, 2) as gap_bps,
  round(coalesce(o.enter_bps, b.enter_bps), 2) as enter_bps, o.sources, o.source_feeds, o.source_values, coalesce(o.is_disputed, false) as is_disputed,
  coalesce(o.is_single_source, false) as is_single_source, s.markets, round(s.debt_usd, 2) as debt_usd, round(s.low_usd, 2) as low_usd,
  round(s.high_usd, 2) as high_usd, round(s.unjust_usd, 2) as unjust_usd, s.is_above_market, s.unknown_markets, s.block_number, s.market_list,
  coalesce(v.vaults, 0) as vaults, v.vault_list, x.chain is not null as is_explained,
  coalesce(s.debt_usd, p.min_debt_usd) >= p.min_debt_usd as is_large
from summed s
cross join policy.oracle_paths p
join derived.assumption_band b on b.chain = s.chain and b.assumption_id = s.assumption_id
left join derived.assumption_observation o on o.chain = s.chain and o.assumption_id = s.assumption_id and o.observed_at = s.observed_at
left join vaults v on v.chain = s.chain and v.assumption_id = s.assumption_id and v.observed_at = s.observed_at
left join explained x on x.chain = s.chain and x.assumption_id = s.assumption_id and x.observed_at = s.observed_at
