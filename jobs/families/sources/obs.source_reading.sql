-- One reading of one live source. since_at is the first instant that was not read before; judgements from there on are repeated.
-- kind: append   grain: source, partition_key, recording   time: since_at   order: day, source, looked_at
select
  source, table_name, partition_key, chain, recording, outcome, since_at, since_at - since_at % 86400 as day,
  read_from_at, read_through_at, looked_at, every_s, block_number, block_hash, source_id, fetched_at
from landing.source_reading
