-- The proposals of one protocol at the end of each UTC day (or of the window), from its first proposal on. Opened: voting has begun, or
-- votes show that it has. A proposal canceled before that is ignored, also in the minimum and maximum of votes.
-- distribution is 1 - 2 × Gini of proposals per proposer: -1 if one proposer made all of several, null for a single proposal.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with grid as (
  select
    f.protocol, t.day, t.day + 86400 as ends_at,
    t.day - (extract(day from cast(from_unixtime(t.day) as timestamp(0))) - 1) * 86400 as month_day
  from (
    select protocol, min(created_at - created_at % 86400) as first_day from derived.governance_proposal group by protocol
  ) f
  cross join unnest(sequence(@start, @end - 1, 86400)) as t(day)
  where t.day >= f.first_day
),
counted_votes as (
  select
    protocol, proposal_id, day, votes,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol, proposal_id order by day) as until_day
  from derived.governance_proposal_vote
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @end
),
standing as (
  select
    g.protocol, g.day, p.proposer,
    coalesce(
      p.opens_at < g.ends_at and p.opens_at < @end and (p.closed_at is null or p.closed_at >= g.ends_at or p.closed_at >= @end), false
    ) as is_active,
    coalesce(p.closed_at < g.ends_at and p.closed_at < @end, false) as is_closed,
    coalesce(
      v.votes > 0
      or (
        p.opens_at < g.ends_at and p.opens_at < @end
        and (
          p.canceled_at is null or p.canceled_at > p.vote_start_at
          or (p.vote_start_at is null and (p.canceled_at >= g.ends_at or p.canceled_at >= @end))
        )
      ),
      false
    ) as is_opened,
    p.created_at >= g.month_day as is_of_month,
    coalesce(v.votes, 0) as votes
  from grid g
  join derived.governance_proposal p on p.protocol = g.protocol and p.created_at < g.ends_at and p.created_at < @end
  left join counted_votes v
    on v.protocol = p.protocol and v.proposal_id = p.proposal_id and v.day <= g.day and v.until_day > g.day
),
counted as (
  select
    protocol, day,
    count(*) as total_proposals,
    cast(count(*) filter (where is_active) as bigint) as active_proposals,
    cast(count(*) filter (where is_closed) as bigint) as closed_proposals,
    cast(count(*) filter (where is_of_month) as bigint) as monthly_proposals,
    count(*) filter (where is_opened) as opened_proposals,
    min(votes) filter (where is_opened) as min_votes,
    max(votes) filter (where is_opened) as max_votes
  from standing
  group by protocol, day
),
of_proposer as (
  select protocol, day, proposer, count(*) as proposals
  from standing
  where proposer is not null
  group by protocol, day, proposer
),
ranked as (
  select
    protocol, day, proposals,
    row_number() over (partition by protocol, day order by proposals, proposer) as place,
    count(*) over (partition by protocol, day) as proposers
  from of_proposer
),
spread as (
  select
    protocol, day,
    max(proposers) as proposers,
    case
      when sum(proposals) = 1 then null
      when max(proposers) = 1 then -1e0
      else 1 - 2 * cast(sum((2 * place - proposers - 1) * proposals) as double) / (cast(max(proposers) as double) * cast(sum(proposals) as double))
    end as distribution
  from ranked
  group by protocol, day
)
select
  c.protocol, c.day, c.total_proposals, c.active_proposals, c.closed_proposals, c.monthly_proposals, c.opened_proposals, c.min_votes, c.max_votes,
  coalesce(s.proposers, 0) as total_proposers,
  s.distribution
from counted c
left join spread s on s.protocol = c.protocol and s.day = c.day
