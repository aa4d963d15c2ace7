-- One vote. A vote without a time is dated to the end of its proposal's voting period, by which it must have been cast.
-- kind: append   grain: protocol, proposal_id, voter, vote_id   time: earliest_at   order: cast_at, protocol, proposal_id, voter, vote_id
select
  protocol, proposal_id, voter, vote_id, support, power_e18, copies, earliest_at,
  coalesce(nullif(voted_at, 0), nullif(vote_end_at, 0), earliest_at) as cast_at,
  source_id, fetched_at
from landing.governance_vote
