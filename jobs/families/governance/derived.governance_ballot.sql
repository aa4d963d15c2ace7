-- The votes of one voter on one proposal on one UTC day: their number, and the power that the voter has used on the proposal so far, in 1e-18
-- tokens: the sum over the parts of a vote; of repeated votes the highest or, where they add to each other (is_added), the sum.
-- delivered_for and delivered_against count a vote as often as its batch contains it, and leave out votes whose side is hidden; a hidden
-- vote counts no more once it is reported with its side. is_first: the voter had not voted on the proposal in the previous sixty days (a
-- fixed limit, so that older days are not read). power_added: the excess over the voter's earlier power on the proposal.
-- A vote on a proposal that no source lists, or that was created on a later day, is neither listed nor counted.
-- kind: window   grain: protocol, proposal_id, voter, day   time: day   order: day, protocol, proposal_id, voter
with vote as (
  select
    protocol, proposal_id, voter, vote_id, cast_at - cast_at % 86400 as day, support, coalesce(hidden, 0) as hidden,
    coalesce(is_added, false) as is_added, power_e18, copies
  from obs.governance_vote
  where cast_at >= @start and cast_at < @end
  union all
  select
    protocol, proposal_id, voter, vote_id, event_at - event_at % 86400 as day, support, coalesce(hidden, 0) as hidden,
    coalesce(is_added, false) as is_added, power_e18, cast(1 as bigint) as copies
  from obs.governor_event
  where event = 'vote' and event_at >= @start and event_at < @end
),
weighed as (
  select
    protocol, proposal_id, voter, vote_id, day, support, hidden, is_added, copies,
    min(hidden) over (partition by protocol, proposal_id, voter, vote_id) as stays_hidden,
    -- In two halves, because DuckDB casts text to a wide decimal slowly.
    case
      when length(power_e18) <= 18 then cast(cast(power_e18 as bigint) as decimal(38, 0))
      when length(power_e18) <= 36
        then cast(cast(substr(power_e18, 1, length(power_e18) - 18) as bigint) as decimal(38, 0))
            * cast(1000000000000000000 as decimal(38, 0))
          + cast(cast(substr(power_e18, length(power_e18) - 17) as bigint) as decimal(38, 0))
      else cast(power_e18 as decimal(38, 0))
    end as power
  from vote
),
whole as (
  select
    protocol, proposal_id, voter, vote_id, day, is_added,
    sum(power) as power,
    sum(case when support = 'for' then power * cast(copies as decimal(6, 0)) end) as delivered_for,
    sum(case when support = 'against' then power * cast(copies as decimal(6, 0)) end) as delivered_against,
    max(copies) as copies,
    max(stays_hidden) as hidden
  from weighed
  where hidden = stays_hidden
  group by protocol, proposal_id, voter, vote_id, day, is_added
),
ballot as (
  select
    protocol, proposal_id, voter, day,
    count(*) as votes,
    coalesce(max(case when not is_added then power end), cast(0 as decimal(38, 0))) as power_replacing,
    coalesce(sum(case when is_added then power end), cast(0 as decimal(38, 0))) as power_adding,
    sum(delivered_for) as delivered_for,
    sum(delivered_against) as delivered_against,
    cast(sum(copies - 1) as bigint) as repetitions,
    cast(sum(hidden) as bigint) as hidden_votes
  from whole
  group by protocol, proposal_id, voter, day
),
listed as (
  select b.*, p.proposal_id is not null as is_listed
  from ballot b
  left join derived.governance_proposal p
    on p.protocol = b.protocol and p.proposal_id = b.proposal_id and p.created_at < b.day + 86400
),
voted_on as (
  select distinct protocol, proposal_id from vote
),
earlier as (
  select b.protocol, b.proposal_id, b.voter, max(b.power) as power, max(b.power_adding) as power_adding
  from derived.governance_ballot b
  join voted_on v on v.protocol = b.protocol and v.proposal_id = b.proposal_id
  where b.day >= @start - 5184000 and b.day < @start and b.is_listed
  group by b.protocol, b.proposal_id, b.voter
),
summed as (
  select
    b.protocol, b.proposal_id, b.voter, b.day, b.votes, b.delivered_for, b.delivered_against, b.repetitions, b.hidden_votes, b.is_listed,
    e.voter is not null as is_known,
    row_number() over (partition by b.protocol, b.proposal_id, b.voter, b.is_listed order by b.day) as place,
    coalesce(e.power, cast(0 as decimal(38, 0))) as power_before,
    greatest(
      max(b.power_replacing) over so_far,
      coalesce(e.power, cast(0 as decimal(38, 0))) - coalesce(e.power_adding, cast(0 as decimal(38, 0)))
    ) as power_replacing,
    coalesce(e.power_adding, cast(0 as decimal(38, 0))) + sum(b.power_adding) over so_far as power_adding
  from listed b
  left join earlier e on e.protocol = b.protocol and e.proposal_id = b.proposal_id and e.voter = b.voter
  window so_far as (
    partition by b.protocol, b.proposal_id, b.voter, b.is_listed order by b.day rows between unbounded preceding and current row
  )
),
followed as (
  select
    *, power_replacing + power_adding as power,
    coalesce(
      lag(power_replacing + power_adding) over (partition by protocol, proposal_id, voter, is_listed order by day), power_before
    ) as earlier_power
  from summed
)
select
  protocol, proposal_id, voter, day, votes, cast(power as decimal(38, 0)) as power, cast(power_adding as decimal(38, 0)) as power_adding,
  case when is_listed then cast(power - earlier_power as decimal(38, 0)) else cast(0 as decimal(38, 0)) end as power_added,
  coalesce(delivered_for, 0) as delivered_for,
  coalesce(delivered_against, 0) as delivered_against,
  repetitions, hidden_votes,
  is_listed and not is_known and place = 1 as is_first,
  is_listed
from followed
