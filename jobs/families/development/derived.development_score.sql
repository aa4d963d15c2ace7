-- Development score of one protocol or blockchain on one UTC day (decision 5): four parts, each relative to the 95th percentile (nearest
-- rank) of everything tracked on the day. While no releases are known at all, that part is omitted and the others carry the full weight.
-- kind: window   grain: kind, path, day   time: day   order: day, kind, path
with ranked as (
  select
    kind, path, day, name, commits, authors, merges, releases,
    max(case when has_releases then 1 else 0 end) over (partition by day) as knows_releases,
    count(*) over (partition by day) as tracked,
    row_number() over (partition by day order by commits, kind, path) as commits_place,
    row_number() over (partition by day order by authors, kind, path) as authors_place,
    row_number() over (partition by day order by merges, kind, path) as merges_place,
    row_number() over (partition by day order by releases, kind, path) as releases_place
  from derived.development_activity
  where day >= @start and day < @end
),
high as (
  select
    day,
    min(case when commits_place * 100 >= tracked * 95 then commits end) as commits,
    min(case when authors_place * 100 >= tracked * 95 then authors end) as authors,
    min(case when merges_place * 100 >= tracked * 95 then merges end) as merges,
    min(case when releases_place * 100 >= tracked * 95 then releases end) as releases
  from ranked
  group by day
),
measured as (
  select
    r.kind, r.path, r.day, r.name,
    case when h.commits > 0 then least(ln(1e0 + r.commits) / ln(1e0 + h.commits), 1e0) when r.commits > 0 then 1e0 else 0e0 end as commits,
    case when h.authors > 0 then least(ln(1e0 + r.authors) / ln(1e0 + h.authors), 1e0) when r.authors > 0 then 1e0 else 0e0 end as authors,
    case when h.merges > 0 then least(ln(1e0 + r.merges) / ln(1e0 + h.merges), 1e0) when r.merges > 0 then 1e0 else 0e0 end as merges,
    case
      when r.knows_releases = 0 then null
      when h.releases > 0 then least(ln(1e0 + r.releases) / ln(1e0 + h.releases), 1e0)
      when r.releases > 0 then 1e0
      else 0e0
    end as releases
  from ranked r
  join high h on h.day = r.day
)
select
  m.kind, m.path, m.day, m.name, m.commits, m.authors, m.merges, m.releases,
  (
    p.commits_weight * m.commits + p.authors_weight * m.authors + p.merges_weight * m.merges
    + p.releases_weight * coalesce(m.releases, 0e0)
  ) / (p.commits_weight + p.authors_weight + p.merges_weight + case when m.releases is null then 0e0 else p.releases_weight end) as score
from measured m
cross join policy.development p
