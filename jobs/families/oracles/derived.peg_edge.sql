-- One edge of a peg (derived.peg_step) with what its sources said at that observation (derived.peg_evidence). basis is `source` where a single
-- source, and not the centre, is off its peg.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: observed_at   order: observed_at, chain, symbol, asset_id, place
with edge as (
  select s.edge, s.level, o.*
  from derived.peg_step s
  join derived.peg_observation o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id
    and o.observed_at = s.observed_at and o.place = s.place
    and o.observed_at >= @start and o.observed_at < @end
  where s.edge is not null and s.observed_at >= @start and s.observed_at < @end
)
select
  e.chain, e.symbol, e.quote, e.asset_id, e.asset_name, e.observed_at, e.place, e.edge, e.level,
  case when e.edge <> 'end' and e.level = 0 then 'source' else 'centre' end as basis,
  e.feed_address, e.kind, e.pair, e.round_id, e.block_number, e.tx_hash, e.log_index, e.observed_price, e.reference_price, e.deviation_bps,
  e.worst_deviation_bps, e.enter_bps, e.effective_enter_bps, e.spread_bps, p.source_prices, p.doubts
from edge e
join derived.peg_evidence p
  on p.chain = e.chain and p.symbol = e.symbol and p.quote = e.quote and p.asset_id = e.asset_id
  and p.observed_at = e.observed_at and p.place = e.place
  and p.observed_at >= @start and p.observed_at < @end
