-- The price of one live source of a pegged asset at one edge of its peg, or at its last observation of a day, with its rank (heaviest
-- first). A source without weight is a thin pool. A source lags if another that carries a price has moved by the policy's multiple of the
-- deviation at which the silent one must answer (of the other's own, where that is unknown) since its last answer, up to two days back.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place, feed_address   time: observed_at   order: observed_at, chain, symbol, asset_id, place, source_rank
with marked as (
  select
    chain, symbol, quote, asset_id, observed_at, place,
    row_number() over (partition by chain, symbol, quote, asset_id, observed_at - observed_at % 86400 order by observed_at desc, place desc) as recency
  from derived.peg_observation
  where observed_at >= @start and observed_at < @end
),
wanted as (
  select o.chain, o.symbol, o.quote, o.asset_id, o.observed_at, o.place, o.reference_e18, o.enter_at, o.is_downside_only, a.lag_multiple
  from derived.peg_observation o
  join marked m
    on m.chain = o.chain and m.symbol = o.symbol and m.quote = o.quote and m.asset_id = o.asset_id
    and m.observed_at = o.observed_at and m.place = o.place
  join derived.peg_asset a on a.chain = o.chain and a.symbol = o.symbol and a.quote = o.quote and a.asset_id = o.asset_id
  left join derived.peg_step s
    on s.chain = o.chain and s.symbol = o.symbol and s.quote = o.quote and s.asset_id = o.asset_id
    and s.observed_at = o.observed_at and s.place = o.place and s.edge is not null
    and s.observed_at >= @start and s.observed_at < @end
  where o.observed_at >= @start and o.observed_at < @end and (m.recency = 1 or s.edge is not null)
),
priced as (
  select
    w.chain, w.symbol, w.quote, w.asset_id, w.observed_at, w.place, w.reference_e18, w.enter_at, w.is_downside_only, w.lag_multiple,
    l.feed_address, l.source_kind, l.weight, l.depth, l.price_text, l.price_e18, l.answered_at, l.round_id, l.deviation_bps
  from wanted w
  join derived.peg_live l
    on l.chain = w.chain and l.symbol = w.symbol and l.quote = w.quote and l.asset_id = w.asset_id
    and l.observed_at = w.observed_at and l.place = w.place and l.role = 'price'
  where l.observed_at >= @start and l.observed_at < @end
),
-- What the others said when the silent one last answered, against what they say now.
moved as (
  select
    p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.feed_address,
    max(
      case
        when round(abs(exact_double(o.price_e18) / exact_double(b.price_e18) - 1) * 10000, 6)
          >= p.lag_multiple * coalesce(case when p.deviation_bps >= 0.01 then p.deviation_bps end, o.deviation_bps)
          then 1
        else 0
      end
    ) as is_lagging
  from priced p
  join priced o
    on o.chain = p.chain and o.symbol = p.symbol and o.quote = p.quote and o.asset_id = p.asset_id
    and o.observed_at = p.observed_at and o.place = p.place
  join derived.peg_live b
    on b.chain = o.chain and b.symbol = o.symbol and b.quote = o.quote and b.asset_id = o.asset_id
    and b.observed_at = p.answered_at and b.feed_address = o.feed_address and b.role = 'price'
  where o.feed_address <> p.feed_address and o.weight > 0 and o.answered_at > p.answered_at and b.price_e18 > 0
    and b.observed_at >= @start - 172800 and b.observed_at < @end
  group by p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.feed_address
)
select
  p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.feed_address,
  row_number() over (
    partition by p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place
    order by
      p.weight desc, case p.source_kind when 'oracle' then 0 when 'venue' then 1 else 2 end, p.price_e18, length(p.round_id), p.round_id,
      p.feed_address
  ) as source_rank,
  p.source_kind, p.weight = 0 as is_thin, round(p.depth, 2) as depth, p.price_text as price,
  cast(round((exact_double(p.price_e18) / exact_double(p.reference_e18) - 1) * 10000) as bigint) as deviation_bps,
  case
    when p.is_downside_only and p.price_e18 > p.reference_e18 then cast(0 as decimal(38, 0))
    else abs(p.price_e18 - p.reference_e18)
  end * 100000000 >= p.enter_at as is_beyond,
  p.answered_at, p.observed_at - p.answered_at as age_s, coalesce(m.is_lagging, 0) = 1 as is_lagging
from priced p
left join moved m
  on m.chain = p.chain and m.symbol = p.symbol and m.quote = p.quote and m.asset_id = p.asset_id
  and m.observed_at = p.observed_at and m.place = p.place and m.feed_address = p.feed_address
