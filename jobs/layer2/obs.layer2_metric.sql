-- One figure of one network for one UTC day as it was known at an instant. A figure taken before the last second of its day is of a part
-- of the day and not complete.
-- kind: append   grain: network, metric, day, known_at   time: known_at   order: day, network, metric, known_at
select
  network, metric, day, known_at, value,
  known_at >= day + 86399 as is_complete,
  source_id, fetched_at
from landing.layer2_metric
