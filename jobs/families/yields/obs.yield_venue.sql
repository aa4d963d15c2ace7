-- The known facts about one venue from one instant on.
-- kind: append   grain: venue, observed_at   time: observed_at   order: venue, observed_at
select venue, launched_at, audits, incidents, observed_at, source_id, fetched_at
from landing.yield_venue
