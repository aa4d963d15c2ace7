-- What the live sources of a pegged asset said at one edge of its peg, or at its last observation of a day: the price of each, highest weight
-- first, and the doubts, separated by commas: pools_only, reference_new (the reference is younger than the time that confirms a depeg),
-- round_went_back (of a source or of the reference, derived.peg_doubt), single_source, source_lags, sources_disagree, thin_pools_disagree.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: observed_at   order: observed_at, chain, symbol, asset_id, place
with priced as (
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
  p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.source_prices,
  substr(concat(
    case when o.is_pools_only then ',pools_only' else '' end,
    case when o.reference_age_s < a.confirm_spacing_s then ',reference_new' else '' end,
    case when w.chain is not null then ',round_went_back' else '' end,
    case when o.sources < 2 then ',single_source' else '' end,
    case when p.has_lag = 1 then ',source_lags' else '' end,
    case when o.is_disputed then ',sources_disagree' else '' end,
    case when o.thin_doubters > 0 then ',thin_pools_disagree' else '' end
  ), 2) as doubts
from priced p
join derived.peg_observation o
  on o.chain = p.chain and o.symbol = p.symbol and o.quote = p.quote and o.asset_id = p.asset_id
  and o.observed_at = p.observed_at and o.place = p.place
  and o.observed_at >= @start and o.observed_at < @end
join derived.peg_asset a on a.chain = p.chain and a.symbol = p.symbol and a.quote = p.quote and a.asset_id = p.asset_id
left join derived.peg_doubt w
  on w.chain = p.chain and w.symbol = p.symbol and w.quote = p.quote and w.asset_id = p.asset_id and w.doubted_at = p.observed_at
