-- The observation that confirmed that the utilization of a market has reached its limit. Doubts as in derived.market_alarm:
-- market_unregistered, oracle_stale, oracle_unknown, oracle_unverifiable, state_contradictory.
-- kind: event   grain: event_key
select
  concat(a.chain, '|', a.market_id, '|', cast(a.observed_at as varchar)) as event_key,
  a.observed_at as event_at,
  'high' as severity,
  case when a.doubts like '%oracle_stale%' then 'stale' when a.doubts like '%oracle_un%' then 'unknown' else 'fresh' end as freshness_status,
  a.chain,
  a.protocol,
  concat('liquidity:', a.chain, ':', a.market_id) as subject_id,
  a.doubts,
  a.chain as data_chain,
  a.market_id as data_market_id,
  round(g.value, 8) as data_utilization,
  g.threshold as data_threshold,
  replace(cast(cast(from_unixtime(a.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from derived.market_alarm a
join derived.market_signal g
  on g.chain = a.chain and g.market_id = a.market_id and g.measure = 'utilization' and g.observed_at = a.observed_at
where a.measure = 'utilization' and a.observed_at >= @start and a.observed_at < @end
