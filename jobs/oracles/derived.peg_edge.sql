-- One edge of a peg (derived.peg_step) with the price of every live source at that observation, highest weight first.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: observed_at   order: observed_at, chain, symbol, asset_id, place
with edge as (
  select s.edge, s.level, o.*
  from derived.peg_step s
  join derived.peg_observation o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id
    and o.observed_at = s.observed_at and o.place = s.place
    and o.observed_at >= @start and o.observed_at < @end
  where s.edge is not null and s.observed_at >= @start and s.observed_at < @end
),
source as (
  select
    e.chain, e.symbol, e.quote, e.asset_id, e.observed_at, e.place, e.reference_e18, e.enter_at,
    l.feed_address, l.source_kind, l.weight, l.price_text, l.price_e18, l.answered_at, l.round_id,
    case
      when e.is_downside_only and l.price_e18 > e.reference_e18 then cast(0 as decimal(38, 0))
      else abs(l.price_e18 - e.reference_e18)
    end * 100000000 >= e.enter_at as is_beyond
  from edge e
  join derived.peg_live l
    on l.chain = e.chain and l.symbol = e.symbol and l.quote = e.quote and l.asset_id = e.asset_id
    and l.observed_at = e.observed_at and l.place = e.place and l.role = 'price'
    and l.observed_at >= @start and l.observed_at < @end
),
said as (
  select
    chain, symbol, quote, asset_id, observed_at, place,
    array_agg(
      cast(
        row(
          feed_address, source_kind, price_text,
          cast(round((exact_double(price_e18) / exact_double(reference_e18) - 1) * 10000) as bigint), is_beyond, answered_at
        )
        as row(
          oracle_address varchar, source_kind varchar, price varchar, deviation_bps bigint, is_beyond boolean, answered_at bigint
        )
      )
      order by
        weight desc, case source_kind when 'oracle' then 0 when 'venue' then 1 else 2 end, price_e18, length(round_id), round_id, feed_address
    ) as source_prices
  from source
  group by chain, symbol, quote, asset_id, observed_at, place
)
select
  e.chain, e.symbol, e.quote, e.asset_id, e.asset_name, e.observed_at, e.place, e.edge, e.level, e.feed_address, e.kind, e.pair, e.round_id,
  e.block_number, e.tx_hash, e.log_index, e.observed_price, e.reference_price, e.deviation_bps, e.enter_bps, e.effective_enter_bps,
  e.sources, e.is_disputed, e.spread_bps, s.source_prices
from edge e
join said s
  on s.chain = e.chain and s.symbol = e.symbol and s.quote = e.quote and s.asset_id = e.asset_id
  and s.observed_at = e.observed_at and s.place = e.place
