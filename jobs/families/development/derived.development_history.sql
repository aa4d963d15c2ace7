-- The first commit and the first release of one repository, carried over from day to day.
-- kind: window   grain: repository, day   time: day   order: day, repository
with seen as (
  select repository, day, day as first_commit_day, cast(null as bigint) as first_release_day
  from derived.development_author_day
  where day >= @start and day < @end
  union all
  select repository, day, cast(null as bigint) as first_commit_day, day as first_release_day
  from obs.development_release
  where released_at >= @start and released_at < @end
  union all
  select repository, day, first_commit_day, first_release_day
  from derived.development_history
  where day = @start - 86400
),
by_day as (
  select repository, day, min(first_commit_day) as first_commit_day, min(first_release_day) as first_release_day
  from seen
  group by repository, day
),
so_far as (
  select
    repository, day,
    min(first_commit_day) over in_order as first_commit_day,
    min(first_release_day) over in_order as first_release_day,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by repository order by day) as until_day
  from by_day
  window in_order as (partition by repository order by day rows between unbounded preceding and current row)
)
select s.repository, t.day, s.first_commit_day, s.first_release_day
from so_far s
cross join unnest(sequence(s.day, s.until_day - 1, 86400)) as t(day)
where t.day >= @start
