-- Events of governors of a kind that is not known, and votes for a side that is not known: they are kept and counted, but the events change
-- no proposal and the votes are on no side.
-- verdict: warn
with strange as (
  select protocol, 'events' as what, event as name, count(*) as rows_found
  from obs.governor_event
  where event not in ('created', 'vote', 'extended', 'queued', 'executed', 'canceled') and event_at <= @now
  group by protocol, event
  union all
  select protocol, 'votes' as what, support as name, count(*) as rows_found
  from obs.governor_event
  where event = 'vote' and event_at <= @now and support not in ('for', 'against', 'abstain', 'hidden') and support not like 'choice:%'
  group by protocol, support
  union all
  select protocol, 'votes' as what, support as name, count(*) as rows_found
  from obs.governance_vote
  where cast_at <= @now and support not in ('for', 'against', 'abstain', 'hidden') and support not like 'choice:%'
  group by protocol, support
),
ranked as (
  select *, row_number() over (partition by protocol, what order by rows_found desc, name) as place
  from strange
),
total as (
  select protocol, count(*) as rows_read
  from (
    select protocol from obs.governor_event where event_at <= @now
    union all
    select protocol from obs.governance_vote where cast_at <= @now
  ) everything
  group by protocol
)
select
  concat(
    r.protocol, ': ', cast(cast(sum(r.rows_found) as bigint) as varchar),
    case when r.what = 'events' then ' events of a kind that is not known: ' else ' votes for a side that is not known: ' end,
    array_join(array_agg(case when r.place <= 10 then concat(r.name, ' (', cast(r.rows_found as varchar), ')') end order by r.place), ', ')
  ) as reason,
  cast(sum(r.rows_found) as double) / cast(max(t.rows_read) as double) as weight
from ranked r
join total t on t.protocol = r.protocol
group by r.protocol, r.what
order by reason
