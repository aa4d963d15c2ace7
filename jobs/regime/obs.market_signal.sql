-- How much of one lending market is used at one instant, and what was liquidated since the report before.
-- kind: append   grain: entity, observed_at   time: observed_at   order: day, entity, observed_at
select
  entity, observed_at, observed_at - observed_at % 86400 as day, supplied_usd, borrowed_usd, liquidated_usd, source_id,
  fetched_at
from landing.market_signal
