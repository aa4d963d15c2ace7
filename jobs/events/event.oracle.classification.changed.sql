-- A feed whose fingerprint differs from the one observed before. The market is the feed's pair.
-- kind: event   grain: event_key
select
  concat(chain, '|', feed_address, '|', cast(changed_at as varchar)) as event_key,
  changed_at as event_at,
  'warn' as severity,
  chain,
  cast(null as varchar) as protocol,
  concat('oracle:', chain, ':', feed_address, ':', pair) as subject_id,
  cast(null as varchar) as data_quality,
  chain as data_chain,
  feed_address as data_oracle_address,
  pair as data_market_id,
  cast(
    row(
      previous_category, previous_provider, previous_staleness_status, previous_risk_level,
      case when previous_edge_case_flags = '' then array[] else split(previous_edge_case_flags, ',') end
    )
    as row(category varchar, provider varchar, staleness_status varchar, risk_level varchar, edge_case_flags varchar array)
  ) as data_previous,
  cast(
    row(
      category, provider, staleness_status, risk_level,
      case when edge_case_flags = '' then array[] else split(edge_case_flags, ',') end
    )
    as row(category varchar, provider varchar, staleness_status varchar, risk_level varchar, edge_case_flags varchar array)
  ) as data_current
from derived.feed_fingerprint
where is_reportable and changed_at >= @start and changed_at < @end
