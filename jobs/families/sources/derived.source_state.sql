-- The newest state of each source that was configured when a process last noted states. A source that has been removed has no row.
-- kind: full   grain: source
with newest as (
  select max(roster_at) as roster_at from obs.source_state
),
placed as (
  select s.*, row_number() over (partition by s.source order by s.noted_at desc, s.digest) as place
  from obs.source_state s
  join newest n on n.roster_at = s.roster_at
)
select
  source, noted_at, table_name, name, url, hosts, chain, state, reason, setting, outcome, every_s, accepted_at, read_through_at,
  last_read_at, last_try_at, next_try_at, overdue_at, circuit_open_until, records, history_share, is_restated, license, attribution,
  terms_url, is_redistributable, state not in ('off', 'needs_key') as is_on
from placed
where place = 1
