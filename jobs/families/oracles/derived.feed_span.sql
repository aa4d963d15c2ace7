-- A period in which one feed was read without a gap, for feeds whose rounds come from sources with readings. overdue_at is the time at
-- which the next reading is late: two intervals between readings after the last one. A reading that lacks a feed does not count for it.
-- kind: full   grain: chain, feed_address, read_from_at
with delivered as (
  select distinct r.chain, r.feed_address, r.source_id
  from obs.feed_round r
  join (select distinct source from obs.source_reading where table_name = 'feed_round') s on s.source = r.source_id
),
missed as (
  select distinct source, subject
  from obs.source_reading_gap
  where table_name = 'feed_round'
),
span as (
  select
    source, partition_key, chain, read_from_at, max(read_through_at) as read_through_at
  from obs.source_reading
  where table_name = 'feed_round'
  group by source, partition_key, chain, read_from_at
),
pace as (
  select source, partition_key, max(looked_at) + 2 * max_by(every_s, looked_at) as overdue_at
  from obs.source_reading
  where table_name = 'feed_round'
  group by source, partition_key
),
own_reading as (
  select d.chain, d.feed_address, r.read_from_at, r.read_through_at, r.looked_at, r.every_s
  from delivered d
  join missed m on m.source = d.source_id and m.subject = d.feed_address
  join obs.source_reading r on r.source = d.source_id and r.table_name = 'feed_round' and (r.chain is null or r.chain = d.chain)
  left join obs.source_reading_gap g
    on g.source = r.source and g.partition_key = r.partition_key and g.recording = r.recording and g.subject = d.feed_address
  where g.subject is null
),
own_pace as (
  select chain, feed_address, max(looked_at) + 2 * max_by(every_s, looked_at) as overdue_at
  from own_reading
  group by chain, feed_address
),
stretch as (
  select d.chain, d.feed_address, s.read_from_at, s.read_through_at, p.overdue_at
  from delivered d
  left join missed m on m.source = d.source_id and m.subject = d.feed_address
  join span s on s.source = d.source_id and (s.chain is null or s.chain = d.chain)
  join pace p on p.source = s.source and p.partition_key = s.partition_key
  where m.subject is null
  union all
  select o.chain, o.feed_address, o.read_from_at, o.read_through_at, p.overdue_at
  from own_reading o
  join own_pace p on p.chain = o.chain and p.feed_address = o.feed_address
)
select
  chain, feed_address, read_from_at, max(read_through_at) as read_through_at, max(overdue_at) as overdue_at
from stretch
group by chain, feed_address, read_from_at
