-- The newest figure of another source for each subject, unless it is too old to compare.
-- kind: full   grain: source, metric, chain, subject
with ranked as (
  select c.*, row_number() over (partition by c.source, c.metric, c.chain, c.subject order by c.observed_at desc) as place
  from obs.cross_check c
  cross join policy.cross_checks p
  where c.observed_at <= @now and c.observed_at > @now - p.max_age_s
)
select source, metric, chain, subject, value, observed_at, day
from ranked
where place = 1
