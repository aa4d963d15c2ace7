-- A feed that reached a severity of staleness, at that second: once per severity on the way up, for every tracked market that it backs
-- at the time. A feed that backs no market is reported only if the policy says so, with its pair as the market. Doubts: those of
-- derived.feed_silence (source_silent, holiday_possible) and derived.feed_doubt (round_went_back), and a market that no registry describes (market_unregistered).
-- kind: event   grain: event_key
with graded as (
  select
    *,
    case grade when 'warn' then 1 when 'high' then 2 when 'critical' then 3 else 0 end as severity_rank,
    case previous_grade when 'warn' then 1 when 'high' then 2 when 'critical' then 3 else 0 end as previous_rank
  from derived.feed_status
  where is_change and assessed_at >= @start and assessed_at < @end
)
select
  concat(
    g.chain, '|', g.feed_address, '|', g.grade, '|', cast(g.assessed_at as varchar),
    case when o.market_id is null then '' else concat('|', o.market_id) end
  ) as event_key,
  g.assessed_at as event_at,
  g.grade as severity,
  'stale' as freshness_status,
  g.chain,
  m.protocol,
  concat('oracle:', g.chain, ':', g.feed_address, ':', coalesce(o.market_id, v.pair)) as subject_id,
  substr(concat(
    case when o.market_id is not null and m.chain is null then ',market_unregistered' else '' end,
    case when q.doubts <> '' then concat(',', q.doubts) else '' end,
    case when b.chain is not null then concat(',', b.doubts) else '' end
  ), 2) as doubts,
  g.chain as data_chain,
  g.feed_address as data_oracle_address,
  coalesce(o.market_id, v.pair) as data_market_id,
  g.assessed_at - g.threshold_at as data_stale_age_s
from graded g
cross join policy.oracle p
join derived.feed_version v
  on v.chain = g.chain and v.feed_address = g.feed_address
  and v.valid_from <= g.assessed_at and v.valid_to > g.assessed_at
left join derived.market_oracle o
  on o.chain = g.chain and o.feed_address = g.feed_address and o.valid_from <= g.assessed_at and o.valid_to > g.assessed_at
left join derived.lending_market m
  on m.chain = o.chain and m.market_id = o.market_id and m.valid_from <= g.assessed_at and m.valid_to > g.assessed_at
left join derived.feed_silence q
  on q.chain = g.chain and q.feed_address = g.feed_address and q.assessed_at = g.assessed_at
left join derived.feed_doubt b
  on b.chain = g.chain and b.feed_address = g.feed_address and b.doubted_at = g.assessed_at
where g.severity_rank > g.previous_rank and (o.market_id is not null or p.is_untracked_reported)
