-- One state of a proposal. An instant of 0 means that it has not happened and becomes null. Tallies are in 1e-18 tokens.
-- kind: append   grain: protocol, proposal_id, state, deadline   time: created_at   order: created_at, protocol, proposal_id, state
select
  protocol, proposal_id, state, proposer, created_at,
  nullif(vote_start_at, 0) as vote_start_at,
  nullif(vote_end_at, 0) as vote_end_at,
  nullif(canceled_at, 0) as canceled_at,
  nullif(queued_at, 0) as queued_at,
  nullif(executed_at, 0) as executed_at,
  for_votes_e18, against_votes_e18, coalesce(deadline, 0) as deadline, source_id, fetched_at
from landing.governance_proposal
