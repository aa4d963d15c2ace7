-- A wave of more than eight metres.
-- kind: event   grain: event_key
select
  concat(buoy, '|', cast(read_at as varchar)) as event_key,
  read_at as event_at,
  'high' as severity,
  'sea' as chain,
  'fresh' as freshness_status,
  concat('oracle:sea:', buoy, ':waves') as subject_id,
  'sea' as data_chain,
  buoy as data_oracle_address,
  'waves' as data_market_id,
  'fresh' as freshness_status
from obs.buoy_reading
where height_m > 8 and read_at >= @start and read_at < @end
