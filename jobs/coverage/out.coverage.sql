-- One row of the coverage manifest (2.13). id is chain|scope|scope_id; gaps are named in a fixed order.
-- kind: full   grain: id
select
  concat(chain, '|', scope, '|', scope_id) as id,
  chain, scope, scope_id, label, classified, has_metadata,
  round(history_completeness_pct, 4) as history_completeness_pct,
  replace(cast(cast(from_unixtime(last_update_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_update_at,
  case when is_missing_metadata then array[cast(row('missing_metadata') as row(kind varchar))] else array[] end
    || case when is_missing_history then array[cast(row('missing_history') as row(kind varchar))] else array[] end
    || case when is_stale then array[cast(row('stale') as row(kind varchar))] else array[] end
    || case when is_unverifiable then array[cast(row('unverifiable') as row(kind varchar))] else array[] end as gaps
from derived.coverage
