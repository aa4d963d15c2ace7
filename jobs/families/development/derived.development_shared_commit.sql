-- One commit of one repository whose id occurs in other repositories too: a fork or a mirror carries the commits of its origin.
-- kind: window   grain: repository, commit_id   time: committed_at   order: committed_at, commit_id, repository
select repository, commit_id, author, committed_at, day, is_merge, is_empty
from (
  select
    repository, commit_id, author, committed_at, day, parents >= 2 as is_merge,
    parents < 2 and coalesce(files_changed + insertions + deletions = 0, false) as is_empty,
    count(*) over (partition by commit_id) as repositories
  from obs.development_commit
  where committed_at >= @start and committed_at < @end
) held
where repositories > 1
