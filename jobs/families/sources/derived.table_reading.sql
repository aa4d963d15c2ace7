-- How far a raw table has been read by the live sources that deliver to it. Rows as of accepted_at or later are confirmed through
-- read_through_at, because a reading without changes confirms them; accepted_at is null unless the sources restate all rows. A table is
-- overdue when all of its sources are, or when nothing delivers it any more: what happened since is unknown.
-- kind: full   grain: table_name
with configured as (
  select
    table_name,
    max(read_through_at) as read_through_at,
    max(case when is_restated then accepted_at end) as accepted_at,
    count(*) filter (where coalesce(overdue_at, 0) >= @now) = 0 as is_overdue
  from derived.source_state
  where is_on and is_redistributable
  group by table_name
),
former as (
  select g.table_name, max(r.read_through_at) as read_through_at
  from policy.delivery_gap g
  left join configured c on c.table_name = g.table_name
  left join obs.source_reading r on r.table_name = g.table_name
  where g.reason = 'no_source' and c.table_name is null
  group by g.table_name
)
select table_name, read_through_at, accepted_at, is_overdue
from configured
union all
select table_name, read_through_at, cast(null as bigint) as accepted_at, true as is_overdue
from former
