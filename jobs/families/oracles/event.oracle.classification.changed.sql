-- A feed whose fingerprint differs from the previous one, once for every tracked market that it backs at the time. A feed that backs no
-- market is reported only if the policy says so, with its pair as the market. Doubts: its freshness cannot be verified now
-- (freshness_unverifiable); it is stale and derived.feed_silence has doubts about that (source_silent, holiday_possible); it has
-- gone back (round_went_back, derived.feed_doubt); or no registry describes the market (market_unregistered). The registry is the only source of the feed's other attributes, so nothing can contradict
-- them.
-- kind: event   grain: event_key
select
  concat(
    f.chain, '|', f.feed_address, '|', cast(f.changed_at as varchar),
    case when o.market_id is null then '' else concat('|', o.market_id) end
  ) as event_key,
  f.changed_at as event_at,
  'warn' as severity,
  case f.staleness_status when 'fresh' then 'fresh' when 'stale' then 'stale' else 'unknown' end as freshness_status,
  f.chain,
  m.protocol,
  concat('oracle:', f.chain, ':', f.feed_address, ':', coalesce(o.market_id, f.pair)) as subject_id,
  substr(concat(
    case when f.staleness_status = 'unverifiable' then ',freshness_unverifiable' else '' end,
    case when o.market_id is not null and m.chain is null then ',market_unregistered' else '' end,
    case when q.doubts <> '' then concat(',', q.doubts) else '' end,
    case when b.chain is not null then concat(',', b.doubts) else '' end
  ), 2) as doubts,
  f.chain as data_chain,
  f.feed_address as data_oracle_address,
  coalesce(o.market_id, f.pair) as data_market_id,
  cast(
    row(
      f.previous_category, f.previous_provider, f.previous_staleness_status, f.previous_risk_level,
      case when f.previous_edge_case_flags = '' then array[] else split(f.previous_edge_case_flags, ',') end
    )
    as row(category varchar, provider varchar, staleness_status varchar, risk_level varchar, edge_case_flags varchar array)
  ) as data_previous,
  cast(
    row(
      f.category, f.provider, f.staleness_status, f.risk_level,
      case when f.edge_case_flags = '' then array[] else split(f.edge_case_flags, ',') end
    )
    as row(category varchar, provider varchar, staleness_status varchar, risk_level varchar, edge_case_flags varchar array)
  ) as data_current
from derived.feed_fingerprint f
cross join policy.oracle p
left join derived.market_oracle o
  on o.chain = f.chain and o.feed_address = f.feed_address and o.valid_from <= f.changed_at and o.valid_to > f.changed_at
left join derived.lending_market m
  on m.chain = o.chain and m.market_id = o.market_id and m.valid_from <= f.changed_at and m.valid_to > f.changed_at
left join derived.feed_silence q
  on q.chain = f.chain and q.feed_address = f.feed_address
  and q.assessed_at = case when f.staleness_status <> f.previous_staleness_status then f.changed_at end
left join derived.feed_doubt b
  on b.chain = f.chain and b.feed_address = f.feed_address and b.doubted_at = f.changed_at
where f.is_reportable and f.changed_at >= @start and f.changed_at < @end
  and (o.market_id is not null or p.is_untracked_reported)
