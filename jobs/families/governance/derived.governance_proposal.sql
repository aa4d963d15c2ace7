-- One proposal, merged from all of its rows, states as well as contract events. The tally is the latest, and so is the end of voting: what
-- was stated last counts, not the latest end, and of statements read at the same time the latest end. closed_at: when voting ended or
-- the proposal was canceled, queued or executed, whichever came first. opens_at: when voting opens; if no source reports that, the creation
-- time, unless the only known state precedes voting.
-- kind: full   grain: protocol, proposal_id
with said as (
  select
    protocol, proposal_id, proposer, created_at, vote_start_at, vote_end_at, canceled_at, queued_at, executed_at,
    for_votes_e18, against_votes_e18, fetched_at, state, fetched_at as stated_at, cast(0 as bigint) as log_index
  from obs.governance_proposal
  where created_at < @end
  union all
  select
    protocol, proposal_id, proposer,
    case when event = 'created' then event_at end as created_at,
    vote_start_at, vote_end_at,
    case when event = 'canceled' then event_at end as canceled_at,
    case when event = 'queued' then event_at end as queued_at,
    case when event = 'executed' then event_at end as executed_at,
    cast(null as varchar) as for_votes_e18,
    cast(null as varchar) as against_votes_e18,
    fetched_at, event as state, event_at as stated_at, log_index
  from obs.governor_event
  where event in ('created', 'extended', 'queued', 'executed', 'canceled') and event_at < @end
),
ranked as (
  select
    *,
    row_number() over (
      partition by protocol, proposal_id
      order by case when for_votes_e18 is null then 1 else 0 end, fetched_at desc, state desc
    ) as place,
    row_number() over (
      partition by protocol, proposal_id
      order by case when vote_end_at is null then 1 else 0 end, stated_at desc, log_index desc, vote_end_at desc, state desc
    ) as end_place
  from said
),
put_together as (
  select
    protocol, proposal_id,
    max(proposer) as proposer,
    min(created_at) as created_at,
    max(vote_start_at) as vote_start_at,
    max(case when end_place = 1 then vote_end_at end) as vote_end_at,
    min(canceled_at) as canceled_at,
    min(queued_at) as queued_at,
    min(executed_at) as executed_at,
    min(case when lower(state) in ('pending', 'draft', 'upcoming') then 1 else 0 end) as is_before_vote,
    cast(max(case when place = 1 then for_votes_e18 end) as decimal(38, 0)) as tally_for,
    cast(max(case when place = 1 then against_votes_e18 end) as decimal(38, 0)) as tally_against
  from ranked
  group by protocol, proposal_id
)
select
  protocol, proposal_id, proposer, created_at, vote_start_at, vote_end_at, canceled_at, queued_at, executed_at, tally_for, tally_against,
  coalesce(vote_start_at, case when is_before_vote = 0 then created_at end) as opens_at,
  nullif(
    least(
      coalesce(vote_end_at, 9007199254740991), coalesce(canceled_at, 9007199254740991),
      coalesce(queued_at, 9007199254740991), coalesce(executed_at, 9007199254740991)
    ),
    9007199254740991
  ) as closed_at
from put_together
where created_at is not null
