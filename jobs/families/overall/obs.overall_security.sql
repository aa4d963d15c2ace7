-- One fact of the security registry from one instant on, with its source.
-- kind: append   grain: protocol, fact, title, observed_at   time: observed_at   order: observed_at, protocol, fact, title
select
  protocol, fact, title, observed_at, observed_at - observed_at % 86400 as day, happened_at, ended_at, severity, source, checked_on,
  source_id, fetched_at
from landing.overall_security
