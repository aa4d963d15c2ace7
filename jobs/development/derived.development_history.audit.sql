-- Registered repositories without commits, and repositories with commits that are not registered and therefore not scored.
-- verdict: warn
with registered as (
  select repository from derived.development_repository where valid_from <= @now and valid_to > @now and not is_fork
),
known as (
  select repository from derived.development_history where day = @now - @now % 86400 and first_commit_day is not null
),
compared as (
  select
    coalesce(r.repository, k.repository) as repository,
    case when k.repository is null then 'no commits of ' when r.repository is null then 'no protocol has registered ' end as problem
  from registered r
  full outer join known k on k.repository = r.repository
  left join derived.development_repository f
    on f.repository = k.repository and f.valid_from <= @now and f.valid_to > @now and f.is_fork
  where f.repository is null
)
select
  array_join(array_agg(problem || repository order by repository), ', ') as reason,
  cast(count(problem) as double) / count(*) as weight
from compared
having count(problem) > 0
