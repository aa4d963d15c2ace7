-- The observation that confirmed a collapse of the exit depth, or that showed a drained market. Doubts as in derived.market_alarm:
-- market_unregistered, oracle_stale, oracle_unknown, oracle_unverifiable, state_contradictory.
-- kind: event   grain: event_key
select
  concat(a.chain, '|', a.market_id, '|', cast(a.observed_at as varchar)) as event_key,
  a.observed_at as event_at,
  'critical' as severity,
  case when a.doubts like '%oracle_stale%' then 'stale' when a.doubts like '%oracle_un%' then 'unknown' else 'fresh' end as freshness_status,
  a.chain,
  a.protocol,
  concat('liquidity:', a.chain, ':', a.market_id) as subject_id,
  a.doubts,
  a.chain as data_chain,
  a.market_id as data_market_id,
  round(g.value, 2) as data_depth_usd,
  -- The median is meaningless for a market that was drained while it grew.
  case when g.value <= g.median_usd then round(g.median_usd, 2) end as data_median_usd,
  g.is_far as data_is_drained,
  replace(cast(cast(from_unixtime(a.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from derived.market_alarm a
join derived.market_signal g
  on g.chain = a.chain and g.market_id = a.market_id and g.measure = 'depth' and g.observed_at = a.observed_at
where a.measure = 'depth' and a.observed_at >= @start and a.observed_at < @end
