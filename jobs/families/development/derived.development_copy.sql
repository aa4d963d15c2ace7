-- One repository that counts as a fork on one UTC day, because most of its commits in the scored window belong to other repositories.
-- `owner` is the one to which most of them belong.
-- The longest window, a year, is a constant here, so that older days are not read.
-- kind: window   grain: repository, day   time: day   order: day, repository
with lost as (
  select repository, day, owner, sum(commits + merges) as commits
  from derived.development_foreign_commit
  where day >= @start and day < @end
  group by repository, day, owner
),
foreign_share as (
  select repository, day, sum(commits) as foreign_commits, max_by(owner, commits) as owner from lost group by repository, day
),
total as (
  select f.repository, f.day, sum(a.commits + a.merges) as commits
  from foreign_share f
  cross join policy.development p
  join derived.development_author_day a on a.repository = f.repository and a.day <= f.day and a.day > f.day - p.window_s
  where a.day > @start - 31536000 and a.day < @end
  group by f.repository, f.day
)
select f.repository, f.day, f.owner, cast(f.foreign_commits as bigint) as foreign_commits, cast(t.commits as bigint) as commits
from foreign_share f
join total t on t.repository = f.repository and t.day = f.day
where 2 * f.foreign_commits > t.commits
