-- What proposers of one network were paid through relays on one UTC day. The amounts are null unless every relay known on the day was read
-- for the whole day, which is never the case for today. Slots with an unknown payment are counted but not part of any amount.
-- kind: window   grain: network, day   time: day   order: day, network
with paid as (
  select
    network, day,
    count(paid_wei) as slots,
    count(*) - count(paid_wei) as unknown_slots,
    cast(sum(paid_wei) as decimal(38, 0)) as paid_wei,
    max(paid_wei) as largest_wei,
    count(distinct builder) as builders
  from derived.relay_slot
  where day >= @start and day < @end
  group by network, day
),
relay as (
  select
    network, day,
    count(*) filter (where not is_read) as unread,
    coalesce(array_join(array_remove(array_agg(case when is_read then relay else '' end order by relay), ''), ','), '') as relays,
    coalesce(array_join(array_remove(array_agg(case when is_read then '' else relay end order by relay), ''), ','), '') as relays_not_read
  from derived.relay_day
  where day >= @start and day < @end
  group by network, day
)
select
  p.network, p.day, p.slots, p.unknown_slots,
  case when r.unread = 0 then p.builders end as builders,
  case when r.unread = 0 then cast(cast(p.paid_wei as varchar) || 'e-18' as double) end as paid_native,
  case when r.unread = 0 then cast(cast(p.largest_wei as varchar) || 'e-18' as double) end as largest_native,
  r.relays, r.relays_not_read,
  case when r.unread > 0 then 'relay_not_read' when p.slots = 0 then 'relays_disagree' end as gap
from paid p
join relay r on r.network = p.network and r.day = p.day
