-- One state of one fetched source, noted when it changed.
-- kind: append   grain: source, noted_at, digest   time: noted_at   order: day, source, noted_at, digest
select
  roster_at, noted_at, noted_at - noted_at % 86400 as day, digest, source, table_name, name, url, hosts, chain, state, reason, setting,
  outcome, every_s, accepted_at, read_through_at, last_read_at, last_try_at, next_try_at, overdue_at, circuit_open_until, records,
  history_share, is_restated, license, attribution, terms_url, is_redistributable, source_id, fetched_at
from landing.source_state
