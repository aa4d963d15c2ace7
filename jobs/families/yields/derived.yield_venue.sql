-- The known facts about one venue over one period: valid_from is included, valid_to is not.
-- kind: full   grain: venue, valid_from
select
  venue, launched_at, audits, incidents, observed_at as valid_from,
  lead(observed_at, 1, 253402300799) over (partition by venue order by observed_at) as valid_to
from obs.yield_venue
where observed_at < @end
