-- Registered repositories without commits, and repositories with commits that are not registered and therefore not scored; repositories
-- that count as forks; and authors who are left out as bots because of what they do, and not because a source or a name says so.
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
union all
select
  concat(
    c.repository, ' counts as a fork: ', cast(c.foreign_commits as varchar), ' of its ', cast(c.commits as varchar),
    ' commits belong to other repositories, most of them to ', c.owner
  ) as reason,
  1e0 / (select count(*) from registered) as weight
from derived.development_copy c
where c.day = @now - @now % 86400
union all
select
  concat(
    b.repository, ': author ', b.author, ' counts as a bot (', b.shown_by, '), ', cast(cast(a.commits as bigint) as varchar),
    ' commits in the window are left out'
  ) as reason,
  1e0 / (select count(*) from registered) as weight
from (
  select repository, author, min_by(shown_by, day) as shown_by
  from derived.development_bot
  where day <= @now
  group by repository, author
) b
join (
  select d.repository, d.author, sum(d.commits + d.merges + coalesce(d.empty_commits, 0)) as commits
  from derived.development_author_day d
  cross join policy.development p
  where d.day <= @now and d.day > @now - @now % 86400 - p.window_s
  group by d.repository, d.author
) a on a.repository = b.repository and a.author = b.author
join registered r on r.repository = b.repository
where b.shown_by <> 'flagged'
order by reason
