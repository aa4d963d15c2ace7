-- One release of a repository.
-- kind: append   grain: repository, tag   time: released_at   order: released_at, repository, tag
select
  repository, tag, coalesce(is_bot, false) as is_bot, released_at, released_at - released_at % 86400 as day, source_id, fetched_at
from landing.development_release
