-- The protocol or blockchain to which a repository belongs from one instant on. path: the name in lower case without spaces.
-- kind: append   grain: repository, observed_at   time: observed_at   order: observed_at, repository
select
  repository, name, lower(replace(name, ' ', '')) as path, kind, coalesce(is_fork, false) as is_fork, observed_at, source_id, fetched_at
from landing.development_repository
