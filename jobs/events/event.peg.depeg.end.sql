-- The observation that confirmed that a depegged asset is back inside its exit band. Doubted where one source alone tells the price
-- (single_source), and where a source is still beyond the band (sources_disagree, decision 20).
-- kind: event   grain: event_key
select
  concat(s.chain, '|', o.asset_name, '|', s.quote, '|', cast(s.observed_at as varchar), '|', o.round_id) as event_key,
  s.observed_at as event_at,
  'info' as severity,
  'fresh' as freshness_status,
  s.chain,
  cast(null as varchar) as protocol,
  concat('peg:', s.chain, ':', o.asset_name) as subject_id,
  case when o.sources < 2 then 'single_source' when o.is_disputed then 'sources_disagree' end as doubts,
  s.symbol as data_asset_symbol,
  s.chain as data_chain,
  nullif(s.asset_id, '') as data_asset_id,
  o.feed_address as data_oracle_address,
  o.kind as data_peg_kind,
  o.pair as data_observed_feed,
  o.deviation_bps as data_deviation_bps,
  o.reference_price as data_reference_price,
  o.observed_price as data_observed_price,
  o.block_number as data_block_number,
  s.observed_at as data_block_timestamp,
  o.tx_hash as data_tx_hash,
  o.log_index as data_log_index,
  o.enter_bps as data_enter_bps,
  o.effective_enter_bps as data_effective_enter_bps,
  o.spread_bps as data_spread_bps,
  o.source_prices as data_sources
from derived.peg_step s
join derived.peg_observation o
  on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id
  and o.observed_at = s.observed_at and o.place = s.place
where s.edge = 'end' and s.observed_at >= @start and s.observed_at < @end
