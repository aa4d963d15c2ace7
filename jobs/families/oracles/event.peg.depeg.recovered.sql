-- The second at which an asset had stayed inside its exit band for the whole hold after a depeg ended. Doubts: during the hold, a price
-- had only pools as sources (pools_only) or a single source (single_source), or a source was beyond the band (sources_disagree, decision
-- 20), or at its end a source had gone back to a lower round id (round_went_back).
-- kind: event   grain: event_key
with recovery as (
  select * from derived.peg_recovery where is_recovery and recovered_at >= @start and recovered_at < @end
),
backing as (
  select
    r.chain, r.symbol, r.quote, r.asset_id, r.recovered_at, min(o.sources) as sources,
    max(case when o.is_disputed then 1 else 0 end) as is_disputed,
    max(case when o.is_pools_only then 1 else 0 end) as is_pools_only
  from recovery r
  join derived.peg_observation o
    on o.chain = r.chain and o.symbol = r.symbol and o.quote = r.quote and o.asset_id = r.asset_id
    and o.observed_at >= r.stay_started_at and o.observed_at <= r.recovered_at
  group by r.chain, r.symbol, r.quote, r.asset_id, r.recovered_at
)
select
  concat(r.chain, '|', a.asset_name, '|', r.quote, '|', cast(r.ended_at as varchar)) as event_key,
  r.recovered_at as event_at,
  'info' as severity,
  'fresh' as freshness_status,
  r.chain,
  cast(null as varchar) as protocol,
  concat('peg:', r.chain, ':', a.asset_name) as subject_id,
  substr(concat(
    case when b.is_pools_only = 1 then ',pools_only' else '' end,
    case when w.chain is not null then ',round_went_back' else '' end,
    case when b.sources < 2 then ',single_source' else '' end,
    case when b.is_disputed = 1 then ',sources_disagree' else '' end
  ), 2) as doubts,
  r.symbol as data_asset_symbol,
  r.chain as data_chain,
  nullif(r.asset_id, '') as data_asset_id
from recovery r
join derived.peg_asset a on a.chain = r.chain and a.symbol = r.symbol and a.quote = r.quote and a.asset_id = r.asset_id
left join backing b
  on b.chain = r.chain and b.symbol = r.symbol and b.quote = r.quote and b.asset_id = r.asset_id
  and b.recovered_at = r.recovered_at
left join derived.peg_doubt w
  on w.chain = r.chain and w.symbol = r.symbol and w.quote = r.quote and w.asset_id = r.asset_id and w.doubted_at = r.recovered_at
