-- A day on which one author was classified as a bot in one repository, and the reason: the source or the name says so (flagged); the author
-- made nearly all of the commits in the scored window, and many of them (share), unless there is no other author and their sizes vary, or the author works with others in another repository; the author committed on nearly every day of the sustained
-- window (daily); or many of the author's commits in that window are nearly all the same size (alike). The author stays a bot from then
-- on. Each day is judged only by that day and earlier ones, so the result does not depend on the steps in which time is processed.
-- The longest windows, a year, are constants here, so that older days are not read.
-- kind: window   grain: repository, author, day   time: day   order: day, repository, author
with authored as (
  select repository, author, day, commits + merges + coalesce(empty_commits, 0) as commits, is_flagged
  from derived.development_author_day
  where day >= @start - 31536000 and day < @end
),
grid as (
  select r.repository, t.day
  from (select distinct repository from authored) r
  cross join unnest(sequence(@start, @end - 1, 86400)) as t(day)
),
in_window as (
  select
    g.repository, g.day, a.author, p.bot_share, p.bot_commits, sum(a.commits) as commits,
    sum(sum(a.commits)) over (partition by g.repository, g.day) as of_all,
    max(case when a.is_flagged then 1 else 0 end) as flagged,
    count(*) over (partition by g.repository, g.day)
      - sum(max(case when a.is_flagged then 1 else 0 end)) over (partition by g.repository, g.day) as people
  from grid g
  cross join policy.development p
  join authored a on a.repository = g.repository and a.day <= g.day and a.day > g.day - p.window_s
  group by g.repository, g.day, a.author, p.bot_share, p.bot_commits
),
with_others as (
  select
    *,
    max(case when flagged = 0 and people > 1 and cast(commits as double) <= bot_share * cast(of_all as double) then 1 else 0 end)
      over (partition by day, author) as works_with_others
  from in_window
),
steady as (
  select a.repository, a.author, a.day, count(*) as active_days
  from authored a
  cross join policy.development p
  join authored b on b.repository = a.repository and b.author = a.author and b.day <= a.day and b.day > a.day - p.sustained_s
  where a.day >= @start
  group by a.repository, a.author, a.day
),
shape as (
  select
    repository, author, day, files_changed, insertions, deletions, count(*) as commits
  from obs.development_commit
  where committed_at >= @start - 31536000 and committed_at < @end and parents < 2 and files_changed + insertions + deletions > 0
  group by repository, author, day, files_changed, insertions, deletions
),
alike as (
  select
    s.repository, s.author, s.day, s.files_changed, s.insertions, s.deletions, max(p.bot_alike_share) as bot_alike_share,
    max(p.bot_alike_commits) as bot_alike_commits, sum(b.commits) as commits,
    sum(
      case
        when b.files_changed = s.files_changed and b.insertions = s.insertions and b.deletions = s.deletions then b.commits
        else 0
      end
    ) as of_shape
  from shape s
  cross join policy.development p
  join shape b on b.repository = s.repository and b.author = s.author and b.day <= s.day and b.day > s.day - p.sustained_s
  where s.day >= @start
  group by s.repository, s.author, s.day, s.files_changed, s.insertions, s.deletions
),
sized as (
  select w.repository, w.day, w.author, s.files_changed, s.insertions, s.deletions, sum(s.commits) as commits
  from with_others w
  cross join policy.development p
  join shape s on s.repository = w.repository and s.author = w.author and s.day <= w.day and s.day > w.day - p.window_s
  where w.people = 1 and w.flagged = 0
  group by w.repository, w.day, w.author, s.files_changed, s.insertions, s.deletions
),
varied as (
  select s.repository, s.day, s.author
  from sized s
  cross join policy.development p
  group by s.repository, s.day, s.author
  having cast(max(s.commits) as double) < max(p.bot_alike_share) * cast(sum(s.commits) as double)
),
shown as (
  select repository, author, day, 1 as place from authored where day >= @start and is_flagged
  union all
  select w.repository, w.author, w.day, 2 as place
  from with_others w
  left join varied v on v.repository = w.repository and v.author = w.author and v.day = w.day
  where w.commits > w.bot_commits and cast(w.commits as double) > w.bot_share * cast(w.of_all as double)
    and w.works_with_others = 0 and v.repository is null
  union all
  select s.repository, s.author, s.day, 3 as place
  from steady s
  cross join policy.development p
  where cast(s.active_days as double) * 86400 >= p.bot_active_share * cast(p.sustained_s as double)
  union all
  select repository, author, day, 4 as place
  from alike
  where commits >= bot_alike_commits and cast(of_shape as double) >= bot_alike_share * cast(commits as double)
)
select
  repository, author, day,
  case min(place) when 1 then 'flagged' when 2 then 'share' when 3 then 'daily' else 'alike' end as shown_by
from shown
group by repository, author, day
