-- The evaluation that moved the market to another regime. The first known regime is not a shift. Doubt: not every signal was known
-- (signals_missing).
-- kind: event   grain: event_key
with shift as (
  select
    *,
    replace(substr(cast(cast(from_unixtime(hour) as timestamp) as varchar), 1, 19), ' ', 'T') as detected_text,
    replace(substr(cast(cast(from_unixtime(started_at) as timestamp) as varchar), 1, 19), ' ', 'T') as started_text
  from derived.regime_hour
  where is_shift and hour >= @start and hour < @end
)
select
  cast(hour as varchar) as event_key,
  hour as event_at,
  'warn' as severity,
  case when signals_known < 5 then 'unknown' else 'fresh' end as freshness_status,
  cast(null as varchar) as chain,
  cast(null as varchar) as protocol,
  'vault:global' as subject_id,
  case when signals_known < 5 then 'signals_missing' end as doubts,
  concat('regime:', cast(hour as varchar)) as data_regime_id,
  current_regime as data_regime_type,
  previous_regime as data_previous_regime_type,
  confidence as data_confidence,
  concat(started_text, 'Z') as data_started_at,
  split(signals, ',') as data_signals,
  concat(detected_text, 'Z') as data_detected_at
from shift
