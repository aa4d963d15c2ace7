-- The coverage figures of one scope now, and of all scopes together. A scope without items has no row.
-- kind: full   grain: scope
with item as (
  select scope, history_completeness_pct, is_missing_metadata, is_missing_history, is_stale, is_unverifiable from derived.coverage
  union all
  select
    'all' as scope, history_completeness_pct, is_missing_metadata, is_missing_history, is_stale, is_unverifiable
  from derived.coverage
)
select
  scope,
  count(*) as items,
  count(*) filter (where history_completeness_pct = 1e2 and not is_stale) as complete,
  round(
    exact_double(sum(exact_decimal(history_completeness_pct, 38, 6)))
    / nullif(count(*) filter (where history_completeness_pct is not null), 0),
    4
  ) as mean_completeness,
  count(*) filter (where history_completeness_pct is null) as unknown,
  count(*) filter (where is_missing_metadata) as missing_metadata,
  count(*) filter (where is_missing_history) as missing_history,
  count(*) filter (where is_stale) as stale,
  count(*) filter (where is_unverifiable) as unverifiable
from item
group by scope
