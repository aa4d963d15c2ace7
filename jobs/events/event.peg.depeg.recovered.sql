-- The second at which an asset had held its exit band for the whole hold after a depeg ended.
-- kind: event   grain: event_key
select
  concat(chain, '|', symbol, '|', quote, '|', cast(ended_at as varchar)) as event_key,
  recovered_at as event_at,
  'info' as severity,
  chain,
  cast(null as varchar) as protocol,
  concat('peg:', chain, ':', symbol) as subject_id,
  cast(null as varchar) as data_quality,
  symbol as data_asset_symbol,
  chain as data_chain
from derived.peg_recovery
where round_id = 'recovery' and recovered_at >= @start and recovered_at < @end
