-- The registry entry of one market over one period: valid_from is included, valid_to is not. The last period has no end.
-- kind: full   grain: chain, market_id, valid_from
select
  chain, market_id, protocol, name, loan_asset, loan_symbol, collateral_asset, collateral_symbol, lltv, category, provider,
  risk_level, edge_case_flags, is_listed, category <> 'unclassified' as is_classified,
  observed_at as valid_from,
  lead(observed_at, 1, 253402300799) over (partition by chain, market_id order by observed_at) as valid_to
from obs.lending_market
where observed_at < @end
