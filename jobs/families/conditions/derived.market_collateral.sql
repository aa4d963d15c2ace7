-- The collateral of one isolated market now: the lowest price in USD that a feed behind the market reports for it, and how far its market price is
-- below (gap_bps, negative). The market price is the last one observed for its peg on the same chain in the last day or, through what
-- backs it, its share in the deviations of pegged assets, whichever is lower. unbacked_usd is the debt that the collateral does not cover
-- at that price: by the tranches of the borrowers or, without their collateral, at most, if every loan is at the liquidation limit
-- (is_unbacked_bound). is_lent_out: everything is lent, so that the rates of suppliers are not paid if the debt is not. A market without a feed of its collateral, or without a market price, has no row.
-- kind: full   grain: chain, market_id
with registered as (
  select chain, market_id, upper(collateral_symbol) as symbol, lltv
  from derived.lending_market
  where valid_from <= @now and valid_to > @now and collateral_symbol is not null
),
observed as (
  select
    chain, upper(symbol) as symbol, quote, observed_price, deviation_bps, observed_at,
    row_number() over (partition by chain, upper(symbol) order by observed_at desc, place desc, quote, asset_id) as recency
  from derived.peg_observation
  where observed_at > @now - 86400 and observed_at <= @now
),
oracle as (
  select o.chain, o.market_id, upper(f.base) as symbol, min(s.last_price) as oracle_price
  from derived.market_oracle o
  join derived.feed f on f.chain = o.chain and f.feed_address = o.feed_address
  join derived.feed_state s on s.chain = o.chain and s.feed_address = o.feed_address and s.day = @now - @now % 86400
  where o.valid_from <= @now and o.valid_to > @now and s.last_price > 0 and upper(f.quote) = 'USD'
  group by o.chain, o.market_id, upper(f.base)
),
through as (
  select r.chain, r.market_id, sum(h.share * cast(p.deviation_bps as double)) / 10000 as gap
  from registered r
  join derived.exposure_holding h on h.node = concat('asset:', r.symbol) and h.held_kind = 'asset'
  join observed p on p.chain = r.chain and p.symbol = upper(h.held_name) and p.recency = 1
  group by r.chain, r.market_id
),
compared as (
  select
    r.chain, r.market_id, r.symbol, r.lltv, o.oracle_price, t.gap as through_gap,
    case when p.quote = 'USD' then cast(p.observed_price as double) / o.oracle_price - 1 end as own_gap
  from registered r
  join oracle o on o.chain = r.chain and o.market_id = r.market_id and o.symbol = r.symbol
  left join observed p on p.chain = r.chain and p.symbol = r.symbol and p.recency = 1
  left join through t on t.chain = r.chain and t.market_id = r.market_id
),
gapped as (
  select
    *, case when through_gap < own_gap or own_gap is null then through_gap else own_gap end as gap,
    own_gap is null or coalesce(through_gap < own_gap, false) as is_through
  from compared
  where own_gap is not null or through_gap is not null
),
tranche as (
  select
    g.chain, g.market_id, count(*) as tranches, count(b.collateral_usd) as known,
    sum(case when b.debt_usd > b.collateral_usd * (1 + g.gap) then b.debt_usd - b.collateral_usd * (1 + g.gap) else 0e0 end) as unbacked_usd
  from gapped g
  join derived.borrower_tranche b on b.chain = g.chain and b.market_id = g.market_id
  group by g.chain, g.market_id
),
vault as (
  select held_node, array_join(array_agg(distinct node order by node), ', ') as vaults
  from derived.exposure_holding
  where kind = 'vault' and held_kind = 'market'
  group by held_node
)
select
  g.chain, g.market_id, g.symbol, g.oracle_price, round(g.gap * 10000, 2) as gap_bps, g.is_through, d.borrowed_usd,
  coalesce(d.utilization >= 1, false) as is_lent_out,
  case
    when t.known = t.tranches then round(t.unbacked_usd, 2)
    when d.borrowed_usd * (1 - (1 + g.gap) / nullif(g.lltv, 0)) > 0 then round(d.borrowed_usd * (1 - (1 + g.gap) / g.lltv), 2)
    when g.lltv > 0 and d.borrowed_usd is not null then 0e0
  end as unbacked_usd,
  coalesce(t.known < t.tranches, true) as is_unbacked_bound,
  round(g.gap * 10000, 2) <= -p.collateral_gap_bps as is_below_oracle,
  v.vaults
from gapped g
cross join policy.lending p
left join tranche t on t.chain = g.chain and t.market_id = g.market_id
left join derived.market_day d on d.chain = g.chain and d.market_id = g.market_id and d.day = @now - @now % 86400
left join vault v on v.held_node = concat('market:', g.chain, ':', g.market_id)
