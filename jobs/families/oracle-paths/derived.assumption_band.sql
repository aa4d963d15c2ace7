-- The price gap at which one assumption counts as broken (enter_bps), and below which it holds again (exit_bps, half of it). An equality has
-- the band of the asset's peg, or the default, but no less than the deviation thresholds of the feeds; a feed has its own threshold and the margin.
-- kind: full   grain: chain, assumption_id
with band as (
  select symbol, max(enter_bps) as enter_bps from policy.peg_asset group by symbol
),
tested as (
  select chain, assumption_id, max(deviation_bps) as deviation_bps from derived.assumption_test group by chain, assumption_id
),
read as (
  select p.chain, p.assumption_id, max(l.deviation_bps) as deviation_bps
  from derived.path_assumption p
  join derived.oracle_path_leg l on l.chain = p.chain and l.market_id = p.market_id and l.observed_at = p.valid_from
  where p.kind = 'path'
  group by p.chain, p.assumption_id
),
assumption as (
  select
    chain, assumption_id, min(kind) as kind, min(left_symbol) as left_symbol, min(right_symbol) as right_symbol, min(contract) as contract,
    min(statement) as statement, max(case when is_collateral then 1 else 0 end) = 1 as is_collateral
  from derived.path_assumption
  group by chain, assumption_id
),
entered as (
  select
    a.*,
    case
      when a.kind in ('equality', 'constant') then greatest(coalesce(b.enter_bps, p.default_enter_bps), coalesce(t.deviation_bps + p.margin_bps, 0e0))
      when a.kind = 'feed' and f.deviation_bps >= 0.01 then f.deviation_bps + p.margin_bps
      when a.kind = 'path' then greatest(p.default_enter_bps, coalesce(r.deviation_bps + p.margin_bps, 0e0))
      when a.kind = 'cap' then p.cap_enter_bps
      else p.default_enter_bps
    end as enter_bps
  from assumption a
  cross join policy.oracle_paths p
  left join band b on b.symbol = a.left_symbol
  left join tested t on t.chain = a.chain and t.assumption_id = a.assumption_id
  left join read r on r.chain = a.chain and r.assumption_id = a.assumption_id
  left join derived.feed f on f.chain = a.chain and f.feed_address = a.contract
)
select
  chain, assumption_id, kind, left_symbol, right_symbol, contract, statement, is_collateral, enter_bps, enter_bps / 2 as exit_bps,
  case when kind = 'standby' then 3600 end as own_spacing_s
from entered
