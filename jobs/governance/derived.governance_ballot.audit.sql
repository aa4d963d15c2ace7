-- Every vote of the last sixty days is on a proposal that somebody listed; others count nowhere until it is.
-- verdict: warn
with recent as (
  select protocol, proposal_id, votes, is_listed
  from derived.governance_ballot
  where day > @now - 5184000 and day <= @now
)
select
  concat(
    protocol, ': ', cast(cast(sum(case when is_listed then 0 else votes end) as bigint) as varchar),
    ' votes are on proposals that nobody listed: ', array_join(array_agg(distinct case when not is_listed then proposal_id end order by case when not is_listed then proposal_id end), ', ')
  ) as reason,
  cast(sum(case when is_listed then 0 else votes end) as double) / cast(sum(votes) as double) as weight
from recent
group by protocol
having count_if(not is_listed) > 0
