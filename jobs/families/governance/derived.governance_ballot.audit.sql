-- Votes on proposals that are not listed; they are not counted until their proposal is listed. Totals, like this audit, cover all time.
-- verdict: warn
with known as (
  select protocol, proposal_id, votes, is_listed
  from derived.governance_ballot
  where day <= @now
),
unlisted as (
  select protocol, proposal_id, sum(votes) as votes, row_number() over (partition by protocol order by sum(votes) desc, proposal_id) as place
  from known
  where not is_listed
  group by protocol, proposal_id
),
named as (
  select
    protocol, count(*) as proposals, sum(votes) as votes,
    array_join(array_agg(case when place <= 10 then proposal_id end order by place), ', ') as ids
  from unlisted
  group by protocol
),
total as (
  select protocol, sum(votes) as votes from known group by protocol
)
select
  concat(
    n.protocol, ': ', cast(cast(n.votes as bigint) as varchar), ' of ', cast(cast(t.votes as bigint) as varchar),
    ' votes are on proposals that are not listed: ', n.ids,
    case when n.proposals > 10 then concat(' and ', cast(n.proposals - 10 as varchar), ' more') else '' end
  ) as reason,
  cast(n.votes as double) / cast(t.votes as double) as weight
from named n
join total t on t.protocol = n.protocol
order by n.protocol
