-- A stretch of time in which one feed was read without a gap, for feeds whose rounds come from sources with readings. overdue_at is when
-- the next reading is late: twice the interval between readings after the last one.
-- kind: full   grain: chain, feed_address, read_from_at
with span as (
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
delivered as (
  select distinct r.chain, r.feed_address, r.source_id
  from obs.feed_round r
  join (select distinct source from span) s on s.source = r.source_id
)
select
  d.chain, d.feed_address, s.read_from_at, max(s.read_through_at) as read_through_at, max(p.overdue_at) as overdue_at
from delivered d
join span s on s.source = d.source_id and (s.chain is null or s.chain = d.chain)
join pace p on p.source = s.source and p.partition_key = s.partition_key
group by d.chain, d.feed_address, s.read_from_at
