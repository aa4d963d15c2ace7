-- A round whose answer is not positive or that was never answered. A feed that no registry describes has the market `unregistered`.
-- kind: event   grain: event_key
select
  concat(r.chain, '|', r.feed_address, '|', r.round_id) as event_key,
  r.observed_at as event_at,
  'high' as severity,
  r.chain,
  cast(null as varchar) as protocol,
  concat('oracle:', r.chain, ':', r.feed_address, ':', coalesce(v.pair, 'unregistered')) as subject_id,
  cast(null as varchar) as data_quality,
  r.chain as data_chain,
  r.feed_address as data_oracle_address,
  coalesce(v.pair, 'unregistered') as data_market_id
from obs.feed_round r
left join derived.feed_version v
  on v.chain = r.chain and v.feed_address = r.feed_address
  and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
where not r.is_valid and r.observed_at >= @start and r.observed_at < @end
