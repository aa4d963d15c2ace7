-- One observed price of a pegged asset under the name that events use, with the state of the peg after it.
-- kind: view   grain: chain, asset_name, observed_at, place
select
  a.chain, a.asset_name, o.observed_at, o.place, o.day, o.observed_price, o.reference_price, o.deviation_bps, o.effective_enter_bps,
  o.exit_bps, o.sources, o.spread_bps, s.level > 0 as is_depegged
from derived.peg_observation o
join derived.peg_asset a on a.chain = o.chain and a.symbol = o.symbol and a.quote = o.quote and a.asset_id = o.asset_id
left join derived.peg_step s
  on s.chain = o.chain and s.symbol = o.symbol and s.quote = o.quote and s.asset_id = o.asset_id
  and s.observed_at = o.observed_at and s.place = o.place and s.day = o.day
