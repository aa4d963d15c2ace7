-- What is known of each venue now: how old it is, how often it was audited and how often it failed.
-- kind: full   grain: venue
select venue, launched_at, audits, incidents, valid_from as observed_at
from derived.yield_venue
where valid_from <= @now and valid_to > @now
