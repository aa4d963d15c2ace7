-- Utilisation of one lending market at one instant, and the amount liquidated since the previous report.
-- kind: append   grain: entity, observed_at   time: observed_at   order: day, entity, observed_at
select
  entity, observed_at, observed_at - observed_at % 86400 as day, supplied_usd, borrowed_usd, liquidated_usd, source_id,
  fetched_at
from landing.market_signal
