-- How the token of a protocol was held and what its yield was made of, at one instant; what the source does not tell is null.
-- kind: append   grain: protocol, observed_at   time: observed_at   order: observed_at, protocol
select
  protocol, observed_at, observed_at - observed_at % 86400 as day, top10_share, yield_usd, emissions_usd, source_id, fetched_at
from landing.overall_token
