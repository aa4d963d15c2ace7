-- The votes of one voter on one proposal on one UTC day: their number and the highest power among them, in 1e-18 tokens. delivered_for and
-- delivered_against count a vote as often as its batch contains it. is_first: the voter had not voted on the proposal in the previous
-- sixty days (a fixed limit, so that older days are not read). power_added: the excess over the voter's earlier power on the proposal, so
-- a repeated vote adds only its increase.
-- A vote on a proposal that no source lists, or that was created on a later day, is neither listed nor counted.
-- kind: window   grain: protocol, proposal_id, voter, day   time: day   order: day, protocol, proposal_id, voter
with vote as (
  select
    protocol, proposal_id, voter, cast_at - cast_at % 86400 as day, support, power_e18, copies
  from obs.governance_vote
  where cast_at >= @start and cast_at < @end
  union all
  select
    protocol, proposal_id, voter, event_at - event_at % 86400 as day, support, power_e18,
    cast(1 as bigint) as copies
  from obs.governor_event
  where event = 'vote' and event_at >= @start and event_at < @end
),
weighed as (
  select
    protocol, proposal_id, voter, day, support, copies,
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
ballot as (
  select
    protocol, proposal_id, voter, day,
    count(*) as votes,
    max(power) as power,
    sum(case when support = 'for' then power * cast(copies as decimal(6, 0)) end) as delivered_for,
    sum(case when support = 'against' then power * cast(copies as decimal(6, 0)) end) as delivered_against,
    cast(sum(copies - 1) as bigint) as repetitions
  from weighed
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
  select b.protocol, b.proposal_id, b.voter, max(b.power) as power
  from derived.governance_ballot b
  join voted_on v on v.protocol = b.protocol and v.proposal_id = b.proposal_id
  where b.day >= @start - 5184000 and b.day < @start and b.is_listed
  group by b.protocol, b.proposal_id, b.voter
),
followed as (
  select
    b.*, e.voter is not null as is_known,
    row_number() over so_far as place,
    greatest(
      coalesce(max(b.power) over before, cast(0 as decimal(38, 0))), coalesce(e.power, cast(0 as decimal(38, 0)))
    ) as earlier_power
  from listed b
  left join earlier e on e.protocol = b.protocol and e.proposal_id = b.proposal_id and e.voter = b.voter
  window
    so_far as (partition by b.protocol, b.proposal_id, b.voter, b.is_listed order by b.day),
    before as (
      partition by b.protocol, b.proposal_id, b.voter, b.is_listed order by b.day rows between unbounded preceding and 1 preceding
    )
)
select
  protocol, proposal_id, voter, day, votes, power,
  case when is_listed then greatest(power - earlier_power, cast(0 as decimal(38, 0))) else cast(0 as decimal(38, 0)) end as power_added,
  coalesce(delivered_for, 0) as delivered_for,
  coalesce(delivered_against, 0) as delivered_against,
  repetitions,
  is_listed and not is_known and place = 1 as is_first,
  is_listed
from followed
