-- The latest figure of one network for one complete UTC day: a later measurement replaces an earlier one.
-- kind: merge   grain: network, metric, day   order: day, network, metric
select network, metric, day, known_at, value
from (
  select
    network, metric, day, known_at, value,
    row_number() over (partition by network, metric, day order by known_at desc) as place
  from obs.layer2_metric
  where is_complete and known_at >= @start and known_at < @end
) ranked
where place = 1
