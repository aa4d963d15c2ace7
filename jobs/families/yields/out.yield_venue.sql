-- The known facts about each venue now: its age, audits and incidents.
-- kind: full   grain: venue
select venue, launched_at, audits, incidents, valid_from as observed_at
from derived.yield_venue
where valid_from <= @now and valid_to > @now
