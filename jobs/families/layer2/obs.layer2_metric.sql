-- One figure of one network for one UTC day, as known at one instant. A figure measured before the last second of its day covers only part
-- of the day and is not complete.
-- kind: append   grain: network, metric, day, known_at   time: known_at   order: day, network, metric, known_at
select
  network, metric, day, known_at, value,
  known_at >= day + 86399 as is_complete,
  source_id, fetched_at
from landing.layer2_metric
