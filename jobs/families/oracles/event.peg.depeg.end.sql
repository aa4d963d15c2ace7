-- The observation that confirmed that a depegged asset is back inside its exit band, or that no source of it is off its peg any more.
-- Doubts: those of derived.peg_evidence (pools_only, reference_new, round_went_back, single_source, source_lags, sources_disagree, thin_pools_disagree).
-- kind: event   grain: event_key
select
  concat(e.chain, '|', e.asset_name, '|', e.quote, '|', cast(e.observed_at as varchar), '|', e.round_id) as event_key,
  e.observed_at as event_at,
  'info' as severity,
  'fresh' as freshness_status,
  e.chain,
  cast(null as varchar) as protocol,
  concat('peg:', e.chain, ':', e.asset_name) as subject_id,
  e.doubts,
  e.symbol as data_asset_symbol,
  e.chain as data_chain,
  nullif(e.asset_id, '') as data_asset_id,
  e.feed_address as data_oracle_address,
  e.kind as data_peg_kind,
  e.pair as data_observed_feed,
  e.deviation_bps as data_deviation_bps,
  e.worst_deviation_bps as data_worst_deviation_bps,
  e.reference_price as data_reference_price,
  e.observed_price as data_observed_price,
  e.block_number as data_block_number,
  e.observed_at as data_block_timestamp,
  e.tx_hash as data_tx_hash,
  e.log_index as data_log_index,
  e.enter_bps as data_enter_bps,
  e.effective_enter_bps as data_effective_enter_bps,
  e.spread_bps as data_spread_bps,
  e.source_prices as data_sources
from derived.peg_edge e
where e.edge = 'end' and e.observed_at >= @start and e.observed_at < @end
