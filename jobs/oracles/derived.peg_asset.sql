-- One pegged asset that has sources, with its configured rules. Its name is its symbol. If assets of one chain share a symbol, the name
-- goes to the asset configured by id, else to the one priced first, else to the one without an id, and the others are called
-- `SYMBOL:id`. No name depends on later data.
-- kind: full   grain: chain, symbol, quote, asset_id
with asset as (
  select
    chain, symbol, quote, asset_id, rule_id, rule_chain,
    min(min(speaks_from)) over (partition by chain, symbol, asset_id) as first_at
  from derived.peg_source
  where role = 'price'
  group by chain, symbol, quote, asset_id, rule_id, rule_chain
),
ranked as (
  select
    *,
    dense_rank() over (
      partition by chain, symbol
      order by case when rule_id = '' then 1 else 0 end, first_at, case when asset_id = '' then 0 else 1 end
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
  case
    when n.is_plain then n.symbol
    when n.asset_id = '' then concat(n.symbol, ':unidentified')
    else concat(n.symbol, ':', n.asset_id)
  end as asset_name,
  p.kind, p.reference_price, p.reference_pair, p.enter_bps, p.exit_bps, p.is_downside_only, p.is_feed_deviation_floor, p.feed_band_margin_bps,
  p.agreement, p.confirm_observations, p.confirm_spacing_s, p.immediate_multiple, p.recovery_hold_s, p.recovery_min_observed_fraction,
  p.default_heartbeat_s
from named n
join policy.peg_asset p
  on p.symbol = n.symbol and p.quote = n.quote and p.asset_id = n.rule_id and p.chain = n.rule_chain
