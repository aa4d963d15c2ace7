-- The commits of one author to one repository on one UTC day. A commit with two or more parents counts only as a merged change.
-- A commit of no file and no line is empty and no activity; it is counted apart.
-- kind: window   grain: repository, author, day   time: day   order: day, repository, author
select
  repository, author, day,
  cast(count(*) filter (where parents < 2 and not coalesce(files_changed + insertions + deletions = 0, false)) as bigint) as commits,
  cast(count(*) filter (where parents >= 2) as bigint) as merges,
  cast(count(*) filter (where parents < 2 and files_changed + insertions + deletions = 0) as bigint) as empty_commits,
  max(case when is_bot then 1 else 0 end) = 1 as is_flagged
from obs.development_commit
where committed_at >= @start and committed_at < @end
group by repository, author, day
