-- The distribution of a protocol's token and the composition of its yield at one instant; null if the source does not report it.
-- kind: append   grain: protocol, observed_at   time: observed_at   order: observed_at, protocol
select
  protocol, observed_at, observed_at - observed_at % 86400 as day, top10_share, yield_usd, emissions_usd, source_id, fetched_at
from landing.overall_token
