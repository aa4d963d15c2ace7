-- How one market sets its rates.
-- kind: full   grain: chain, market_id
select
  concat(chain, ':', market_id) as id, chain, market_id, observed_at, kind, base, slope1, slope2, optimal, rate_at_target,
  reserve_factor
from derived.rate_model
