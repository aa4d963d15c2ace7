-- One operator of a protocol at one instant, with its weight relative to the other operators of that instant.
-- kind: append   grain: protocol, operator_id, observed_at   time: observed_at   order: observed_at, protocol, operator_id
select
  protocol, operator_id, observed_at, observed_at - observed_at % 86400 as day, weight, source_id, fetched_at
from landing.overall_operator
