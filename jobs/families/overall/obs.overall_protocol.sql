-- Whether a protocol is scored, and its names in the other domains, from one instant on.
-- kind: append   grain: protocol, observed_at   time: observed_at   order: observed_at, protocol
select
  protocol, observed_at, observed_at - observed_at % 86400 as day, name,
  nullif(trim(development_path), '') as development_path,
  nullif(trim(social_id), '') as social_id,
  nullif(trim(governance_id), '') as governance_id,
  coalesce(is_tracked, true) as is_tracked,
  source_id, fetched_at
from landing.overall_protocol
