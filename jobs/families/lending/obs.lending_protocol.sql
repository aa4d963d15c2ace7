-- A registry entry of one lending protocol from one instant on.
-- kind: append   grain: protocol, observed_at   time: observed_at
select
  protocol, trim(name) as name, coalesce(nullif(lower(trim(category)), ''), 'unclassified') as category,
  observed_at, source_id, fetched_at
from landing.lending_protocol
