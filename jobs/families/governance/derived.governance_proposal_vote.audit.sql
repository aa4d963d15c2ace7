-- Proposals whose votes do not add up to the tally once voting has ended. A vote counts once for each time it was delivered; a relative
-- difference of 1e-9 is allowed for sources that write amounts as doubles. Votes whose side is hidden are on no side: their proposals cannot
-- be compared, and are named.
-- verdict: warn
with latest as (
  select protocol, proposal_id, max(delivered_for) as delivered_for, max(delivered_against) as delivered_against, max(repetitions) as repetitions,
    max(hidden_votes) as hidden_votes, max(votes) as votes
  from derived.governance_proposal_vote
  where day >= @now - @now % 86400 - (@now - @now % 86400) % 2764800 and day <= @now
  group by protocol, proposal_id
),
compared as (
  select
    p.protocol, p.proposal_id, coalesce(v.repetitions, 0) as repetitions,
    abs(coalesce(v.delivered_for, 0) - p.tally_for) + abs(coalesce(v.delivered_against, 0) - p.tally_against) as difference,
    p.tally_for + p.tally_against as tally
  from derived.governance_proposal p
  left join latest v on v.protocol = p.protocol and v.proposal_id = p.proposal_id
  where coalesce(v.hidden_votes, 0) = 0 and p.tally_for is not null and p.tally_against is not null and coalesce(p.vote_end_at, p.closed_at) <= @now
),
named as (
  select
    protocol,
    exact_double(difference) > 1e-9 * exact_double(tally) as is_off,
    concat(proposal_id, case when repetitions > 0 then ' (with repeated votes)' else '' end) as name,
    length(proposal_id) as id_length, proposal_id
  from compared
)
select
  concat(
    protocol, ': the votes of ', cast(count(*) filter (where is_off) as varchar), ' of ', cast(count(*) as varchar),
    ' proposals do not add up to their tallies: ',
    array_join(array_agg(case when is_off then name end order by id_length, proposal_id), ', ')
  ) as reason,
  cast(count(*) filter (where is_off) as double) / count(*) as weight
from named
group by protocol
having count(*) filter (where is_off) > 0
union all
select
  concat(
    protocol, ': the sides of ', cast(cast(sum(hidden_votes) as bigint) as varchar), ' votes are hidden, on ',
    cast(count(*) as varchar), ' proposals: ',
    array_join(array_agg(case when place <= 10 then proposal_id end order by place), ', ')
  ) as reason,
  cast(sum(hidden_votes) as double) / cast(max(protocol_votes) as double) as weight
from (
  select
    protocol, proposal_id, hidden_votes, sum(votes) over (partition by protocol) as protocol_votes,
    row_number() over (partition by protocol order by hidden_votes desc, proposal_id) as place
  from latest
) counted
where hidden_votes > 0
group by protocol
