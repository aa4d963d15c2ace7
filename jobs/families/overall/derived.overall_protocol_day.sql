-- One scored protocol on one UTC day, with its names in the other domains as last known on that day.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with stated as (
  select
    protocol, day as first_day, development_path, social_id, governance_id, is_tracked,
    row_number() over (partition by protocol, day order by observed_at desc) as place
  from obs.overall_protocol
  where observed_at < @end
),
valid as (
  select
    protocol, first_day, development_path, social_id, governance_id, is_tracked,
    lead(first_day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol order by first_day) as until_day
  from stated
  where place = 1
)
select v.protocol, t.day, v.development_path, v.social_id, v.governance_id
from valid v
cross join unnest(sequence(@start, @end - 1, 86400)) as t(day)
where v.is_tracked and t.day >= v.first_day and t.day < v.until_day
