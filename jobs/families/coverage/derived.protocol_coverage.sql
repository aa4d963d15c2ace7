-- How completely one protocol is covered on one chain now: the mean completeness of its markets, null if it has only vaults. A protocol
-- has the gaps of its markets, and lacks a history as well if neither they nor its vaults have one.
-- kind: full   grain: chain, scope, scope_id
with part as (
  select
    chain, protocol, 1 as markets, rows_present, history_completeness_pct / 100 as complete, last_update_at, verdict,
    not is_missing_history as has_history, is_missing_history as lacks_history
  from derived.market_coverage
  where protocol is not null
  union all
  select
    chain, protocol, 0 as markets, 0 as rows_present, 0e0 as complete, last_update_at, verdict, not is_missing_history as has_history,
    false as lacks_history
  from derived.vault_coverage
  where protocol is not null
),
summed as (
  select
    chain, protocol, cast(sum(markets) as bigint) as markets, cast(sum(rows_present) as bigint) as rows_present,
    -- Every term is 0 or 1, so the sum does not depend on the order.
    sum(complete) as complete,
    max(last_update_at) as last_update_at,
    count(*) filter (where markets = 1 and verdict = 'stale') as stale_markets,
    count(*) filter (where markets = 1 and verdict = 'unverifiable') as unverifiable_markets,
    count(*) filter (where has_history) as with_history,
    count(*) filter (where lacks_history) as without_history
  from part
  group by chain, protocol
)
select
  s.chain, 'protocol' as scope, s.protocol as scope_id, s.protocol,
  coalesce(p.name, s.protocol) as label,
  coalesce(p.category <> 'unclassified', false) as classified,
  p.protocol is not null as has_metadata,
  s.rows_present,
  s.complete / nullif(s.markets, 0) * 100 as history_completeness_pct,
  greatest(s.last_update_at, coalesce(p.observed_at, s.last_update_at)) as last_update_at,
  case when s.stale_markets > 0 then 'stale' when s.unverifiable_markets > 0 then 'unverifiable' when s.rows_present > 0 then 'fresh' else 'unknown' end as verdict,
  p.protocol is null as is_missing_metadata,
  p.protocol is not null and (s.with_history = 0 or s.without_history > 0) as is_missing_history,
  s.stale_markets > 0 as is_stale,
  s.unverifiable_markets > 0 as is_unverifiable
from summed s
left join derived.lending_protocol p on p.protocol = s.protocol
