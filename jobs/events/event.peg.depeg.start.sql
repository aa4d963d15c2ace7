-- The observation that confirmed that an asset left its peg. The block is not known from rounds alone.
-- Doubted where one source alone tells the price (single_source, decision 20).
-- kind: event   grain: event_key
select
  concat(s.chain, '|', s.symbol, '|', s.quote, '|', cast(s.observed_at as varchar), '|', s.round_id) as event_key,
  s.observed_at as event_at,
  'high' as severity,
  'fresh' as freshness_status,
  s.chain,
  cast(null as varchar) as protocol,
  concat('peg:', s.chain, ':', s.symbol) as subject_id,
  case when o.sources < 2 then 'single_source' end as doubts,
  s.symbol as data_asset_symbol,
  s.chain as data_chain,
  o.feed_address as data_oracle_address,
  o.kind as data_peg_kind,
  o.pair as data_observed_feed,
  o.deviation_bps as data_deviation_bps,
  o.reference_price as data_reference_price,
  o.observed_price as data_observed_price,
  cast(null as bigint) as data_block_number,
  s.observed_at as data_block_timestamp,
  o.enter_bps as data_enter_bps,
  o.effective_enter_bps as data_effective_enter_bps
from derived.peg_step s
join derived.peg_observation o
  on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote
  and o.observed_at = s.observed_at and o.round_id = s.round_id
where s.edge = 'start' and s.observed_at >= @start and s.observed_at < @end
