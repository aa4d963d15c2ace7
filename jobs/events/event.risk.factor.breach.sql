-- A risk-factor score of a yield opportunity that dropped past a threshold since the last close of an earlier day, at the observation that
-- showed it.
-- kind: event   grain: event_key
select
  concat(opportunity_id, '|', category, '|', severity, '|', cast(day as varchar)) as event_key,
  breached_at as event_at,
  severity,
  chain,
  venue as protocol,
  concat('risk:', opportunity_id, ':', category) as subject_id,
  cast(null as varchar) as data_quality,
  opportunity_id as data_opportunity_id,
  category as data_category,
  old_score as data_old_score,
  new_score as data_new_score,
  delta as data_delta,
  threshold as data_threshold,
  chain as data_chain,
  venue as data_protocol,
  replace(cast(cast(from_unixtime(breached_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from derived.yield_breach
where breached_at >= @start and breached_at < @end
