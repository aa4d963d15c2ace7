-- One decoded event of a governor contract. Times of later blocks are computed from the event's block and time.
-- kind: append   grain: protocol, tx_hash, log_index   time: event_at   order: event_at, protocol, tx_hash, log_index
select
  protocol, tx_hash, log_index, event, event_at, proposal_id, proposer, voter, support, power_e18,
  event_at + cast(round(cast(start_block - block_number as double) * block_s) as bigint) as vote_start_at,
  event_at + cast(round(cast(end_block - block_number as double) * block_s) as bigint) as vote_end_at,
  source_id, fetched_at
from landing.governor_event
