-- The votes on one proposal up to the end of one UTC day, with the power delivered on each side in 1e-18 tokens, and the
-- number of votes whose side is hidden, which are on none. There is a row on each day
-- with a vote and, for every proposal with votes, on every 32nd calendar day, so a later window finds all proposals in the rows since then.
-- kind: window   grain: protocol, proposal_id, day   time: day   order: day, protocol, proposal_id
with known as (
  select
    protocol, proposal_id, max(votes) as votes, max(voters) as voters, max(delivered_for) as delivered_for,
    max(delivered_against) as delivered_against, max(repetitions) as repetitions,
    max(hidden_votes) as hidden_votes
  from derived.governance_proposal_vote
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @start
  group by protocol, proposal_id
),
step as (
  select protocol, proposal_id, @start - 86400 as day, votes, voters, delivered_for, delivered_against, repetitions, hidden_votes from known
  union all
  select
    protocol, proposal_id, day, cast(sum(votes) as bigint) as votes, cast(count(*) filter (where is_first) as bigint) as voters, sum(delivered_for) as delivered_for,
    sum(delivered_against) as delivered_against, cast(sum(repetitions) as bigint) as repetitions,
    cast(sum(hidden_votes) as bigint) as hidden_votes
  from derived.governance_ballot
  where day >= @start and day < @end and is_listed
  group by protocol, proposal_id, day
),
marked as (
  select protocol, proposal_id, day, votes, voters, delivered_for, delivered_against, repetitions, hidden_votes from step
  union all
  select distinct
    s.protocol, s.proposal_id, t.day, cast(0 as bigint) as votes, cast(0 as bigint) as voters,
    cast(0 as decimal(38, 0)) as delivered_for, cast(0 as decimal(38, 0)) as delivered_against, cast(0 as bigint) as repetitions,
    cast(0 as bigint) as hidden_votes
  from step s
  cross join unnest(sequence(@start - @start % 2764800, @end - 1, 2764800)) as t(day)
  where t.day >= @start and s.day < t.day
),
by_day as (
  select
    protocol, proposal_id, day, sum(votes) as votes, sum(voters) as voters, sum(delivered_for) as delivered_for,
    sum(delivered_against) as delivered_against, sum(repetitions) as repetitions, sum(hidden_votes) as hidden_votes
  from marked
  group by protocol, proposal_id, day
)
select
  protocol, proposal_id, day,
  cast(sum(votes) over so_far as bigint) as votes,
  cast(sum(voters) over so_far as bigint) as voters,
  sum(delivered_for) over so_far as delivered_for,
  sum(delivered_against) over so_far as delivered_against,
  cast(sum(repetitions) over so_far as bigint) as repetitions,
  cast(sum(hidden_votes) over so_far as bigint) as hidden_votes
from by_day
window so_far as (partition by protocol, proposal_id order by day rows between unbounded preceding and current row)
