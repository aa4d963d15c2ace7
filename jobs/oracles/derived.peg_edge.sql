-- One edge of a peg (derived.peg_step) with the price of every live source at that observation, highest weight first. basis is `source`
-- where a single source, and not the centre, is off its peg. The doubts, separated by commas: pools_only, reference_new (the reference is
-- younger than the time that confirms a depeg), single_source, source_lags, sources_disagree, thin_pools_disagree.
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
priced as (
  select
    chain, symbol, quote, asset_id, observed_at, place,
    max(case when is_lagging then 1 else 0 end) as has_lag,
    array_agg(
      cast(
        row(feed_address, source_kind, price, deviation_bps, is_beyond, answered_at, age_s, is_lagging, depth, is_thin)
        as row(
          oracle_address varchar, source_kind varchar, price varchar, deviation_bps bigint, is_beyond boolean, answered_at bigint,
          age_s bigint, is_lagging boolean, depth double, is_thin boolean
        )
      )
      order by source_rank
    ) as source_prices
  from derived.peg_source_price
  where observed_at >= @start and observed_at < @end
  group by chain, symbol, quote, asset_id, observed_at, place
)
select
  e.chain, e.symbol, e.quote, e.asset_id, e.asset_name, e.observed_at, e.place, e.edge, e.level,
  case when e.edge <> 'end' and e.level = 0 then 'source' else 'centre' end as basis,
  e.feed_address, e.kind, e.pair, e.round_id, e.block_number, e.tx_hash, e.log_index, e.observed_price, e.reference_price, e.deviation_bps,
  e.worst_deviation_bps, e.enter_bps, e.effective_enter_bps, e.spread_bps, p.source_prices,
  substr(concat(
    case when e.is_pools_only then ',pools_only' else '' end,
    case when e.reference_age_s < a.confirm_spacing_s then ',reference_new' else '' end,
    case when e.sources < 2 then ',single_source' else '' end,
    case when p.has_lag = 1 then ',source_lags' else '' end,
    case when e.is_disputed then ',sources_disagree' else '' end,
    case when e.thin_doubters > 0 then ',thin_pools_disagree' else '' end
  ), 2) as doubts
from edge e
join derived.peg_asset a on a.chain = e.chain and a.symbol = e.symbol and a.quote = e.quote and a.asset_id = e.asset_id
join priced p
  on p.chain = e.chain and p.symbol = e.symbol and p.quote = e.quote and p.asset_id = e.asset_id
  and p.observed_at = e.observed_at and p.place = e.place
