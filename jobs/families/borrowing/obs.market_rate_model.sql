-- The rate model of one market, from one instant on.
-- kind: append   grain: chain, market_id, observed_at   time: observed_at   order: day, chain, market_id, observed_at
select
  chain, market_id, observed_at, observed_at - observed_at % 86400 as day, kind, base, slope1, slope2, optimal, rate_at_target,
  reserve_factor, source_id, fetched_at
from landing.market_rate_model
