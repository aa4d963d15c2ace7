-- One pegged asset that has sources, with its configured rules. Its name is its symbol. If assets of one chain share a symbol, the name
-- goes to the asset configured by id, else to the one priced first, else to the one without an id, and the others are called
-- `SYMBOL:id`. Of several pegs of one asset, those to other quotes than the main one (which the policy alone decides) are called
-- `SYMBOL:quote`. No name depends on later data.
-- kind: full   grain: chain, symbol, quote, asset_id
with asset as (
  select
    chain, symbol, quote, asset_id, rule_id, rule_chain,
    min(min(speaks_from)) over (partition by chain, symbol, asset_id) as first_at,
    min(case when rule_id = '' then 1 else 0 end) over (partition by chain, symbol, asset_id) as is_by_symbol
  from derived.peg_source
  where role = 'price'
  group by chain, symbol, quote, asset_id, rule_id, rule_chain
),
ranked as (
  select
    *,
    dense_rank() over (
      partition by chain, symbol
      order by is_by_symbol, first_at, case when asset_id = '' then 0 else 1 end
    ) as place
  from asset
),
named as (
  select
    *,
    place = 1 and min(asset_id) over (partition by chain, symbol, place) = max(asset_id) over (partition by chain, symbol, place) as is_plain
  from ranked
)
select
  n.chain, n.symbol, n.quote, n.asset_id,
  concat(
    n.symbol,
    case when n.is_plain then '' when n.asset_id = '' then ':unidentified' else concat(':', n.asset_id) end,
    case when p.is_main_quote then '' else concat(':', lower(n.quote)) end
  ) as asset_name,
  p.kind, p.reference_price, p.reference_pair, p.enter_bps, p.exit_bps, p.is_downside_only, p.reference_fall_bps, p.is_feed_deviation_floor, p.feed_band_margin_bps,
  p.agreement, p.confirm_observations, p.confirm_spacing_s, p.immediate_multiple, p.recovery_hold_s, p.recovery_min_observed_fraction,
  p.default_heartbeat_s, p.is_disagreement_reported, p.lag_multiple, p.pool_min_depth, p.pool_full_depth
from named n
join policy.peg_asset p
  on p.symbol = n.symbol and p.quote = n.quote and p.asset_id = n.rule_id and p.chain = n.rule_chain
