-- How completely one lending market is covered now. Covers every market of the registry, and markets found only in states or oracles. The
-- verdict is that of the feeds behind the market, or unknown without one. Unless it is stale, an unclassified market is unverifiable, because
-- nothing says how its freshness is to be judged, and so is one whose state is overdue. A market is complete when it is classified and its
-- verdict is known. Its gaps follow from its verdict, so they count what the manifest counts.
-- kind: full   grain: chain, scope, scope_id
with state as (
  select chain, market_id, last_at from derived.market_day where day = @now - @now % 86400
),
registered as (
  select * from derived.lending_market where valid_from <= @now and valid_to > @now
),
market as (
  select chain, market_id from registered
  union
  select chain, market_id from derived.market_verdict
  union
  select chain, market_id from state
),
priced as (
  select o.chain, o.market_id, max(c.last_update_at) as priced_at
  from derived.market_oracle o
  join derived.feed_coverage c on c.chain = o.chain and c.scope_id = o.feed_address
  where o.valid_from <= @now and o.valid_to > @now
  group by o.chain, o.market_id
),
judged as (
  select
    m.chain, m.market_id, r.protocol, r.name,
    r.chain is not null as has_metadata,
    coalesce(r.is_classified, false) as classified,
    s.last_at is not null as has_history,
    coalesce(p.priced_at, s.last_at, r.valid_from) as last_update_at,
    case
      when b.verdict = 'stale' then 'stale'
      when not coalesce(r.is_classified, false) then 'unverifiable'
      when b.verdict = 'fresh' and coalesce(x.is_overdue, false) then 'unverifiable'
      else coalesce(b.verdict, 'unknown')
    end as verdict,
    coalesce(b.verdict, 'unknown') <> 'unknown' as has_answer
  from market m
  left join registered r on r.chain = m.chain and r.market_id = m.market_id
  left join derived.market_verdict b on b.chain = m.chain and b.market_id = m.market_id
  left join priced p on p.chain = m.chain and p.market_id = m.market_id
  left join state s on s.chain = m.chain and s.market_id = m.market_id
  left join derived.table_reading x on x.table_name = 'market_state'
)
select
  chain, 'lending_market' as scope, market_id as scope_id, protocol,
  coalesce(name, market_id) as label,
  classified, has_metadata,
  case when classified and verdict <> 'unknown' then 1 else 0 end as rows_present,
  case when classified and verdict <> 'unknown' then 1e2 else 0e0 end as history_completeness_pct,
  last_update_at, verdict,
  not has_metadata as is_missing_metadata,
  has_metadata and not (has_history and has_answer) as is_missing_history,
  verdict = 'stale' as is_stale,
  verdict = 'unverifiable' as is_unverifiable
from judged
