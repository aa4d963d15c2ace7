-- The commits of one author in one repository, in the scored window that ends with one UTC day, that belong to another repository. A commit
-- id belongs to the repository that was registered first, of those registered on that day as no forks; of two registered at the same time,
-- to the one with fewer shared commits. Nothing belongs to a repository that is not registered.
-- The longest window, a year, is a constant here, so that older days are not read.
-- kind: window   grain: repository, author, owner, day   time: day   order: day, repository, author, owner
with registered as (
  select repository, min(valid_from) as first_registered from derived.development_repository group by repository
),
tracked as (
  select h.repository, h.day, f.first_registered, p.window_s
  from derived.development_history h
  cross join policy.development p
  join derived.development_repository r on r.repository = h.repository and r.valid_from <= h.day and r.valid_to > h.day
  join registered f on f.repository = h.repository
  where h.day >= @start and h.day < @end and h.first_commit_day is not null and not r.is_fork
),
held as (
  select
    t.day, s.repository, s.commit_id, s.author, s.is_merge, s.is_empty, t.first_registered,
    count(*) over (partition by t.day, s.repository) as shared_commits
  from tracked t
  join derived.development_shared_commit s on s.repository = t.repository and s.day <= t.day and s.day > t.day - t.window_s
  cross join policy.development p
  where s.day > @start - p.window_s and s.day < @end and s.day > @start - 31536000
),
owned as (
  select
    *,
    first_value(repository) over (partition by day, commit_id order by first_registered, shared_commits, repository) as owner
  from held
)
select
  repository, author, owner, day,
  cast(count(*) filter (where not is_merge and not is_empty) as bigint) as commits,
  cast(count(*) filter (where is_merge) as bigint) as merges
from owned
where owner <> repository and not is_empty
group by repository, author, owner, day
