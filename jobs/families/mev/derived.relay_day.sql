-- One relay on one UTC day with known payments: the slots that it delivered, and whether it was read for the whole day. A relay stays known
-- for seven days after its last row. A relay whose rows come from files counts as read on the days on which it has rows.
-- kind: window   grain: network, relay, day   time: day   order: day, network, relay
with own_day as (
  select network, relay, source_id, day, count(distinct slot) as slots
  from obs.relay_payment
  where observed_at >= @start - 604800 and observed_at < @end
  group by network, relay, source_id, day
),
known as (
  select d.network, d.day, o.relay, o.source_id, max(case when o.day = d.day then o.slots else 0 end) as slots
  from (select distinct network, day from own_day where day >= @start) d
  join own_day o on o.network = d.network and o.day <= d.day and o.day >= d.day - 604800
  group by d.network, d.day, o.relay, o.source_id
),
reading as (
  select source, partition_key, read_from_at, max(read_through_at) as read_through_at
  from obs.source_reading
  where table_name = 'relay_payment' and since_at >= @start - 2764800 and since_at < @end
  group by source, partition_key, read_from_at
),
fetched as (
  select source, count(distinct partition_key) as partitions
  from reading
  group by source
),
covered as (
  select k.network, k.day, k.relay, k.source_id, count(distinct r.partition_key) as partitions
  from known k
  join reading r on r.source = k.source_id and r.read_from_at <= k.day and r.read_through_at >= k.day + 86400
  group by k.network, k.day, k.relay, k.source_id
),
judged as (
  select
    k.network, k.relay, k.day, k.slots,
    case when f.source is null then k.slots > 0 else coalesce(c.partitions, 0) = f.partitions end as is_read
  from known k
  left join fetched f on f.source = k.source_id
  left join covered c on c.network = k.network and c.day = k.day and c.relay = k.relay and c.source_id = k.source_id
)
select
  network, relay, day,
  max(slots) as slots,
  max(case when is_read then 1 else 0 end) = 1 as is_read
from judged
group by network, relay, day
