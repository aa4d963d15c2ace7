-- Human activity in the repositories of one protocol or blockchain over the window that ends with one UTC day, and the commits of bots.
-- An author is a bot in a repository from the first day on which it behaves like one (decision 5). Forks, repositories that count as forks,
-- and releases of repositories maintained only by bots are excluded. A commit that several repositories have counts once, for the one to
-- which it belongs; empty commits are no activity, and whoever made only such is no author. A row means that commits are known; 0 means dormant.
-- The longest window, a year, is a constant here, so that older days are not read.
-- kind: window   grain: kind, path, day   time: day   order: day, kind, path
with registered as (
  select h.repository, h.day, r.name, r.path, r.kind, h.first_release_day is not null as has_releases, p.window_s
  from derived.development_history h
  cross join policy.development p
  join derived.development_repository r on r.repository = h.repository and r.valid_from <= h.day and r.valid_to > h.day
  where h.day >= @start and h.day < @end and h.first_commit_day is not null and not r.is_fork
),
tracked as (
  select r.*
  from registered r
  left join derived.development_copy c on c.repository = r.repository and c.day = r.day
  where c.repository is null
),
recent as (
  select a.repository, a.author, a.day, a.commits, a.merges, coalesce(a.empty_commits, 0) as empty_commits
  from derived.development_author_day a
  cross join policy.development p
  where a.day > @start - p.window_s and a.day < @end and a.day > @start - 31536000
),
made as (
  select
    t.repository, t.day, a.author,
    sum(a.commits) as commits,
    sum(a.merges) as merges,
    sum(a.empty_commits) as empty_commits
  from tracked t
  join recent a on a.repository = t.repository and a.day <= t.day and a.day > t.day - t.window_s
  group by t.repository, t.day, a.author
),
lost as (
  select repository, author, day, sum(commits) as commits, sum(merges) as merges
  from derived.development_foreign_commit
  where day >= @start and day < @end
  group by repository, author, day
),
of_author as (
  select
    m.repository, m.day, m.author, m.commits - coalesce(l.commits, 0) as commits, m.merges - coalesce(l.merges, 0) as merges,
    m.empty_commits
  from made m
  left join lost l on l.repository = m.repository and l.author = m.author and l.day = m.day
),
bot as (
  select repository, author, min(day) as since_day
  from derived.development_bot
  where day < @end
  group by repository, author
),
judged as (
  select
    o.repository, o.day, o.author, o.commits, o.merges, o.empty_commits, coalesce(b.since_day <= o.day, false) as is_bot,
    o.commits + o.merges > 0 as is_active
  from of_author o
  left join bot b on b.repository = o.repository and b.author = o.author
),
written as (
  select
    repository, day,
    sum(case when is_bot then 0 else commits end) as commits,
    sum(case when is_bot then 0 else merges end) as merges,
    sum(case when is_bot then commits + merges else 0 end) as bot_commits,
    sum(empty_commits) as empty_commits,
    count(*) filter (where is_bot) as bots,
    count(*) filter (where not is_bot and is_active) as authors
  from judged
  group by repository, day
),
released as (
  select t.repository, t.day, sum(r.releases) as releases
  from tracked t
  join derived.development_release_day r on r.repository = t.repository and r.day <= t.day and r.day > t.day - t.window_s
  cross join policy.development p
  where r.day > @start - p.window_s and r.day < @end and r.day > @start - 31536000
  group by t.repository, t.day
),
people as (
  select t.kind, t.path, t.day, count(distinct j.author) as authors
  from tracked t
  join judged j on j.repository = t.repository and j.day = t.day and not j.is_bot and j.is_active
  group by t.kind, t.path, t.day
),
summed as (
  select
    t.kind, t.path, t.day,
    max(t.name) as name,
    count(*) as repositories,
    sum(coalesce(w.commits, 0)) as commits,
    sum(coalesce(w.merges, 0)) as merges,
    sum(coalesce(w.bot_commits, 0)) as bot_commits,
    sum(coalesce(w.empty_commits, 0)) as empty_commits,
    sum(case when w.bots > 0 and w.authors = 0 then 0 else coalesce(r.releases, 0) end) as releases,
    max(case when t.has_releases then 1 else 0 end) = 1 as has_releases
  from tracked t
  left join written w on w.repository = t.repository and w.day = t.day
  left join released r on r.repository = t.repository and r.day = t.day
  group by t.kind, t.path, t.day
)
select
  s.kind, s.path, s.day, s.name, s.repositories,
  cast(s.commits as bigint) as commits,
  cast(s.merges as bigint) as merges,
  cast(s.bot_commits as bigint) as bot_commits,
  cast(s.empty_commits as bigint) as empty_commits,
  coalesce(p.authors, 0) as authors,
  cast(s.releases as bigint) as releases,
  s.has_releases
from summed s
left join people p on p.kind = s.kind and p.path = s.path and p.day = s.day
