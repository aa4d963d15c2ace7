-- One subject, of any scope, about which the service promises data, and its completeness as of now. Each scope adds its rows here.
-- kind: view   grain: chain, scope, scope_id
select
  chain, scope, scope_id, label, classified, has_metadata, rows_present, history_completeness_pct, last_update_at, verdict,
  is_missing_metadata, is_missing_history, is_stale, is_unverifiable
from derived.feed_coverage
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
