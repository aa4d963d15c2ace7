-- Debt of one market within one range of distances to liquidation, at one instant.
-- kind: append   grain: chain, market_id, observed_at, fall_from   time: observed_at   order: day, chain, market_id, observed_at, fall_from
select
  chain, market_id, observed_at, observed_at - observed_at % 86400 as day, fall_from, fall_to, debt_usd, collateral_usd, price_basis, tranche_count,
  source_id, fetched_at
from landing.borrower_tranche
