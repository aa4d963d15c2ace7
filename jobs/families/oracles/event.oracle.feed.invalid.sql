-- A round that was never answered, or whose answer is not positive, of an earlier round, or the first at a bound, once for every tracked market that the feed backs at the time. A feed
-- that backs no market is reported only if the policy says so: the market is then the feed's pair, or `unregistered` if no registry
-- describes the feed. Doubts: no registry describes the feed (feed_unregistered) or the market (market_unregistered), and those of
-- derived.feed_doubt (round_went_back).
-- kind: event   grain: event_key
select
  concat(
    r.chain, '|', r.feed_address, '|', r.round_id, case when o.market_id is null then '' else concat('|', o.market_id) end
  ) as event_key,
  r.observed_at as event_at,
  'high' as severity,
  'fresh' as freshness_status,
  r.chain,
  m.protocol,
  concat('oracle:', r.chain, ':', r.feed_address, ':', coalesce(o.market_id, v.pair, 'unregistered')) as subject_id,
  substr(concat(
    case when v.chain is null then ',feed_unregistered' else '' end,
    case when o.market_id is not null and m.chain is null then ',market_unregistered' else '' end,
    case when b.chain is not null then concat(',', b.doubts) else '' end
  ), 2) as doubts,
  r.chain as data_chain,
  r.feed_address as data_oracle_address,
  coalesce(o.market_id, v.pair, 'unregistered') as data_market_id,
  r.invalid_reason as data_reason,
  r.round_id as data_round_id
from derived.feed_invalid r
cross join policy.oracle p
left join derived.feed_version v
  on v.chain = r.chain and v.feed_address = r.feed_address
  and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
left join derived.market_oracle o
  on o.chain = r.chain and o.feed_address = r.feed_address and o.valid_from <= r.observed_at and o.valid_to > r.observed_at
left join derived.lending_market m
  on m.chain = o.chain and m.market_id = o.market_id and m.valid_from <= r.observed_at and m.valid_to > r.observed_at
left join derived.feed_doubt b
  on b.chain = r.chain and b.feed_address = r.feed_address and b.doubted_at = r.observed_at
where not r.is_repeat and r.observed_at >= @start and r.observed_at < @end
  and (o.market_id is not null or p.is_untracked_reported)
