-- One figure reported by another source.
-- kind: append   grain: source, metric, chain, subject, observed_at   time: observed_at   order: day, source, metric, chain, subject, observed_at
select
  source, metric, chain, subject, value, observed_at, observed_at - observed_at % 86400 as day, source_id, fetched_at
from landing.cross_check
