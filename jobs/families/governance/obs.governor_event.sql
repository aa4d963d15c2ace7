-- One decoded event of a governor contract, or one part of a vote that is split over several sides. Times of later blocks are computed from
-- the event's block and time, unless the governor's clock is in seconds. An encrypted side is `hidden`.
-- kind: append   grain: protocol, tx_hash, log_index, part_number, hidden   time: event_at   order: event_at, protocol, tx_hash, log_index, part_number
select
  protocol, tx_hash, log_index, block_number, event, event_at, proposal_id, proposer, voter,
  case when hidden = 1 then 'hidden' else support end as support,
  coalesce(hidden, 0) as hidden, coalesce(part_number, 0) as part_number, coalesce(repeats = 'adds', false) as is_added,
  concat(tx_hash, ':', cast(log_index as varchar)) as vote_id,
  power_e18,
  coalesce(nullif(start_at, 0), event_at + cast(round(cast(start_block - block_number as double) * block_s) as bigint)) as vote_start_at,
  coalesce(nullif(end_at, 0), event_at + cast(round(cast(end_block - block_number as double) * block_s) as bigint)) as vote_end_at,
  source_id, fetched_at
from landing.governor_event
