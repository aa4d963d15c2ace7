-- A voter with more power than there are tokens: a source scales its amounts with the wrong number of decimals.
with tokens as (
  select protocol, supply from derived.governance_day where day = @now - @now % 86400 and supply is not null
)
select b.protocol, b.proposal_id, b.voter, b.day
from derived.governance_ballot b
join tokens t on t.protocol = b.protocol
where b.day >= @start and b.day < @end and b.power > t.supply
