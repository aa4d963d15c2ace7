-- An hour in which more was extracted than is usual, at the block that took it there: once an hour, whatever grade it reaches later.
-- kind: event   grain: event_key
with spike as (
  select
    *,
    split_part(entity, '|', 1) as chain,
    concat('mev_spike:', split_part(entity, '|', 1), ':', cast(period_at as varchar)) as anomaly_id,
    replace(substr(cast(cast(from_unixtime(observed_at) as timestamp) as varchar), 1, 19), ' ', 'T') as observed_text
  from derived.anomaly
  where metric = 'mev' and is_first and observed_at >= @start and observed_at < @end
)
select
  anomaly_id as event_key,
  observed_at as event_at,
  'high' as severity,
  chain,
  cast(null as varchar) as protocol,
  concat('anomaly:', anomaly_id) as subject_id,
  concat('mev_spike|', entity) as guard_subject,
  cast(null as varchar) as data_quality,
  anomaly_id as data_anomaly_id,
  'mev_spike' as data_anomaly_type,
  'high' as data_severity,
  cast(null as varchar) as data_pool_id,
  chain as data_chain,
  cast(null as varchar) as data_protocol,
  cast(null as varchar) as data_wallet_id,
  cast(null as varchar) as data_entity_id,
  'More was extracted from users in this hour than in a usual one' as data_description,
  score as data_score,
  metric_value as data_metric_value,
  baseline_value as data_baseline_value,
  deviation_pct as data_deviation_pct,
  concat(observed_text, 'Z') as data_detected_at
from spike
