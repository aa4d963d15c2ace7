-- One commit of a repository, on the UTC day on which it was committed, whatever zone its author lives in.
-- kind: append   grain: repository, commit_id   time: committed_at   order: committed_at, repository, commit_id
select
  repository, commit_id, author, coalesce(is_bot, false) as is_bot, committed_at, committed_at - committed_at % 86400 as day, parents,
  files_changed, insertions, deletions, source_id, fetched_at
from landing.development_commit
