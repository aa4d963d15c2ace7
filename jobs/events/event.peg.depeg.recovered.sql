-- The second at which an asset had held its exit band for the whole hold after a depeg ended. Doubted where a price of the hold came from
-- one source alone (single_source, decision 20).
-- kind: event   grain: event_key
with recovery as (
  select * from derived.peg_recovery where round_id = 'recovery' and recovered_at >= @start and recovered_at < @end
),
backing as (
  select r.chain, r.symbol, r.quote, r.recovered_at, min(o.sources) as sources
  from recovery r
  join derived.peg_observation o
    on o.chain = r.chain and o.symbol = r.symbol and o.quote = r.quote
    and o.observed_at >= r.stay_started_at and o.observed_at <= r.recovered_at
  group by r.chain, r.symbol, r.quote, r.recovered_at
)
select
  concat(r.chain, '|', r.symbol, '|', r.quote, '|', cast(r.ended_at as varchar)) as event_key,
  r.recovered_at as event_at,
  'info' as severity,
  'fresh' as freshness_status,
  r.chain,
  cast(null as varchar) as protocol,
  concat('peg:', r.chain, ':', r.symbol) as subject_id,
  case when b.sources < 2 then 'single_source' end as doubts,
  r.symbol as data_asset_symbol,
  r.chain as data_chain
from recovery r
left join backing b
  on b.chain = r.chain and b.symbol = r.symbol and b.quote = r.quote and b.recovered_at = r.recovered_at
