-- A live source of rounds that is overdue: what its feeds did since its last reading is not known.
-- verdict: warn
with newest as (
  select source, partition_key, max(looked_at) as looked_at, max(looked_at) + 2 * max_by(every_s, looked_at) as overdue_at
  from obs.source_reading
  where table_name = 'feed_round'
  group by source, partition_key
),
judged as (
  select
    case
      when overdue_at < @now then concat(
        source, ' (', partition_key, ') was last read at ',
        replace(cast(cast(from_unixtime(looked_at) as timestamp(0)) as varchar), ' ', 'T'), 'Z'
      )
    end as problem
  from newest
)
select
  array_join(array_agg(problem order by problem), ', ') as reason,
  cast(count(problem) as double) / count(*) as weight
from judged
having count(problem) > 0
