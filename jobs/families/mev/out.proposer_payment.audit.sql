-- Published days whose payments are unknown because a relay was not read to the end, and slots about which relays disagree.
-- verdict: warn
with day_count as (
  select network, count(*) as days from out.proposer_payment group by network
)
select
  concat(
    p.network, ': the payments of ', cast(count(*) as varchar), ' of ', cast(max(c.days) as varchar),
    ' days are not known, because relays were not read for the whole day, last on ', max(p.date), ': ',
    max_by(array_join(p.relays_not_read, ', '), p.day)
  ) as reason,
  cast(count(*) as double) / max(c.days) as weight
from out.proposer_payment p
join day_count c on c.network = p.network
where p.gap = 'relay_not_read'
group by p.network
union all
select
  concat(
    network, ': relays disagree about ', cast(sum(unknown_slots) as varchar), ' of ', cast(sum(slots + unknown_slots) as varchar), ' slots'
  ) as reason,
  cast(sum(unknown_slots) as double) / sum(slots + unknown_slots) as weight
from out.proposer_payment
group by network
having sum(unknown_slots) > 0
