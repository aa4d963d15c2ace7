-- One published fetched source: what it delivered, how far it has been read, what is missing and why.
-- kind: full   grain: id
select
  source as id, table_name, name, url, hosts, chain, state, reason, setting, outcome,
  every_s as every_seconds,
  replace(cast(cast(from_unixtime(last_read_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_read_at,
  replace(cast(cast(from_unixtime(last_try_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_try_at,
  replace(cast(cast(from_unixtime(read_through_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as read_through_at,
  replace(cast(cast(from_unixtime(next_try_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as next_try_at,
  replace(cast(cast(from_unixtime(circuit_open_until) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as circuit_open_until,
  is_on and coalesce(overdue_at, 0) < @now as is_overdue,
  records,
  round(history_share * 100, 1) as history_pct,
  license, attribution, terms_url,
  is_redistributable as redistributable
from derived.source_state
