-- One subject that one reading of one live source could not read; the reading does not count for that subject.
-- kind: append   grain: source, partition_key, recording, subject   time: since_at   order: day, source, subject, looked_at
select
  source, table_name, partition_key, recording, subject, reason, since_at, since_at - since_at % 86400 as day, looked_at,
  source_id, fetched_at
from landing.source_reading_gap
