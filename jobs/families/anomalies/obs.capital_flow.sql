-- Inflow and outflow of one protocol or pool over the period that ended at observed_at.
-- kind: append   grain: entity, observed_at   time: observed_at   order: day, entity, observed_at
select entity, observed_at, observed_at - observed_at % 86400 as day, inflow_usd, outflow_usd, source_id, fetched_at
from landing.capital_flow
