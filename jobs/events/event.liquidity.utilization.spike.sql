-- The observation that confirmed that the utilisation of a market is at its limit or above. The quality is degraded where the market is in no registry, or a
-- feed behind it was not fresh at that second, or none is known.
-- kind: event   grain: event_key
with step as (
  select chain, market_id, observed_at, day
  from derived.market_step
  where measure = 'utilization' and edge = 'start' and is_observation and observed_at >= @start and observed_at < @end
),
standing as (
  select
    s.chain, s.market_id, s.observed_at, o.feed_address,
    max_by(f.staleness_status, f.assessed_at) as staleness_status
  from step s
  join derived.market_oracle o
    on o.chain = s.chain and o.market_id = s.market_id and o.valid_from <= s.observed_at and o.valid_to > s.observed_at
  left join derived.feed_status f
    on f.chain = o.chain and f.feed_address = o.feed_address and f.day = s.day and f.assessed_at <= s.observed_at
  group by s.chain, s.market_id, s.observed_at, o.feed_address
),
backing as (
  select chain, market_id, observed_at, count_if(coalesce(staleness_status, 'unknown') <> 'fresh') as doubtful
  from standing
  group by chain, market_id, observed_at
)
select
  concat(s.chain, '|', s.market_id, '|', cast(s.observed_at as varchar)) as event_key,
  s.observed_at as event_at,
  'high' as severity,
  s.chain,
  m.protocol,
  concat('liquidity:', s.chain, ':', s.market_id) as subject_id,
  case when m.chain is null or b.chain is null or b.doubtful > 0 then 'degraded' end as data_quality,
  s.chain as data_chain,
  s.market_id as data_market_id,
  round(g.value, 8) as data_utilization,
  g.threshold as data_threshold,
  replace(cast(cast(from_unixtime(s.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from step s
join derived.market_signal g
  on g.chain = s.chain and g.market_id = s.market_id and g.measure = 'utilization' and g.observed_at = s.observed_at
left join backing b on b.chain = s.chain and b.market_id = s.market_id and b.observed_at = s.observed_at
left join derived.lending_market m
  on m.chain = s.chain and m.market_id = s.market_id and m.valid_from <= s.observed_at and m.valid_to > s.observed_at
