-- One feed as its registry currently describes it.
-- kind: full   grain: chain, feed_address
select
  chain, feed_address, provider, name, base, quote, pair, category, asset_class, risk_level, heartbeat_s, deviation_bps,
  decimals, market_hours, is_deprecating, edge_case_flags, is_market_modelled, source_kind, reports_rounds, source_id, valid_from
from derived.feed_version
where valid_from <= @now and valid_to > @now
