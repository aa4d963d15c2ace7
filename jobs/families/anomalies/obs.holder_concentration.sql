-- Share of the largest holders of one token, vault or pool at one instant.
-- kind: append   grain: entity, observed_at   time: observed_at   order: day, entity, observed_at
select entity, observed_at, observed_at - observed_at % 86400 as day, top_holder_share, source_id, fetched_at
from landing.holder_concentration
