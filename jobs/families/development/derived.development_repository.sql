-- The protocol or blockchain to which a repository belongs over a range of whole UTC days: valid_from is included, valid_to is not. If the
-- registry has several rows on one day, the last applies.
-- kind: full   grain: repository, valid_from
with latest as (
  select
    repository, observed_at - observed_at % 86400 as valid_from,
    max_by(name, observed_at) as name,
    max_by(path, observed_at) as path,
    max_by(kind, observed_at) as kind,
    max_by(is_fork, observed_at) as is_fork
  from obs.development_repository
  where observed_at < @end
  group by repository, observed_at - observed_at % 86400
)
select
  repository, valid_from,
  lead(valid_from, 1, cast(9007199254740991 as bigint)) over (partition by repository order by valid_from) as valid_to,
  name, path, kind, is_fork
from latest
