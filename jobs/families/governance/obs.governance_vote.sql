-- One vote, or one part of a vote that is split over several sides. A vote without a time is dated to the end of its proposal's voting
-- period, by which it must have been cast. An encrypted side is `hidden`.
-- kind: append   grain: protocol, proposal_id, voter, vote_id, part_number, hidden   time: earliest_at   order: cast_at, protocol, proposal_id, voter, vote_id, part_number
select
  protocol, proposal_id, voter, vote_id,
  case when hidden = 1 then 'hidden' else support end as support,
  coalesce(hidden, 0) as hidden, coalesce(part_number, 0) as part_number, coalesce(repeats = 'adds', false) as is_added,
  power_e18, copies, earliest_at,
  coalesce(nullif(voted_at, 0), nullif(vote_end_at, 0), earliest_at) as cast_at,
  source_id, fetched_at
from landing.governance_vote
