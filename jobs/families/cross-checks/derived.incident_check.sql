-- Losses that another source lists for scored protocols, and how many incidents the security registry has around that day. The other
-- source assigns no severity and reviews nothing, so its entries are hints for whoever keeps the registry and never part of it.
-- kind: full   grain: source, protocol, observed_at
with newest as (
  select
    protocol, lower(name) as name, is_tracked,
    row_number() over (partition by protocol order by observed_at desc) as place
  from obs.overall_protocol
  where observed_at <= @now
),
listed as (
  select c.source, n.protocol, c.observed_at, max(c.value) as value
  from obs.cross_check c
  join newest n on n.place = 1 and n.is_tracked and (c.subject = n.protocol or c.subject = n.name)
  cross join policy.cross_checks p
  where c.metric = 'incident_usd' and c.value >= p.min_usd and c.observed_at <= @now and c.observed_at > @now - p.incident_age_s
  group by c.source, n.protocol, c.observed_at
)
select l.source, l.protocol, l.observed_at, l.value, count(s.title) as known
from listed l
cross join policy.cross_checks p
left join obs.overall_security s
  on s.protocol = l.protocol and s.fact = 'incident' and s.observed_at <= @now
  and s.happened_at >= l.observed_at - p.incident_apart_s and s.happened_at <= l.observed_at + p.incident_apart_s
group by l.source, l.protocol, l.observed_at, l.value
