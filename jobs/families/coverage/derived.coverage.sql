-- One subject, of any scope, that the service promises data about, with its completeness now. Each scope adds its rows here. A registered
-- feed with fewer rows than expected, or with a hole, lacks history.
-- kind: view   grain: chain, scope, scope_id
select
  c.chain, c.scope, c.scope_id, c.label, c.classified, c.has_metadata, c.rows_present, h.history_completeness_pct, c.last_update_at,
  c.verdict, c.is_missing_metadata,
  c.is_missing_history or c.has_metadata and coalesce(h.history_completeness_pct < 1e2, false) as is_missing_history,
  c.is_stale, c.is_unverifiable
from derived.feed_coverage c
left join derived.feed_completeness h on h.chain = c.chain and h.feed_address = c.scope_id
union all
select
  chain, scope, scope_id, label, classified, has_metadata, rows_present, history_completeness_pct, last_update_at, verdict,
  is_missing_metadata, is_missing_history, is_stale, is_unverifiable
from derived.market_coverage
union all
select
  chain, scope, scope_id, label, classified, has_metadata, rows_present, history_completeness_pct, last_update_at, verdict,
  is_missing_metadata, is_missing_history, is_stale, is_unverifiable
from derived.vault_coverage
union all
select
  chain, scope, scope_id, label, classified, has_metadata, rows_present, history_completeness_pct, last_update_at, verdict,
  is_missing_metadata, is_missing_history, is_stale, is_unverifiable
from derived.protocol_coverage
