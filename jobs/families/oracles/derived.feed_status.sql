-- One change in the freshness of a feed, at the second it took effect. Every day also opens with a row that carries the status over, so a
-- reader needs only that day. The grade is fresh, warn, high or critical (stale by age), unverifiable (no heartbeat, or a market with
-- unknown hours) or unknown (no update yet). The clock of a feed starts at its last update, or at the next opening of its market if that
-- is later, and lapses one heartbeat plus the grace period after that: threshold_at is the last fresh second. While a market is closed
-- nothing changes; a feed first seen during that time is unknown until the market opens. The silence of a feed that a live source reads is
-- judged only as far as it was read without a gap, because later updates may exist.
-- kind: window   grain: chain, feed_address, assessed_at   time: assessed_at   order: day, chain, feed_address, assessed_at
with update_time as (
  select chain, feed_address, observed_at as last_update_at
  from derived.feed_answer
  where is_valid and observed_at >= @start and observed_at < @end
  union
  select chain, feed_address, last_at as last_update_at
  from derived.feed_state
  where day = @start - 86400 and last_at is not null
),
silence as (
  select
    chain, feed_address, last_update_at,
    lead(last_update_at, 1, 253402300799) over (partition by chain, feed_address order by last_update_at) as next_update_at
  from update_time
),
first_update as (
  select chain, feed_address, min(last_update_at) as first_at
  from update_time
  group by chain, feed_address
),
-- The last second of a known silence; without readings, or before the first of them, the whole silence is known.
known_silence as (
  select
    s.chain, s.feed_address, s.last_update_at, s.next_update_at,
    case
      when s.last_update_at >= min(r.read_from_at) then coalesce(
        max(case when s.last_update_at between r.read_from_at and r.read_through_at then r.read_through_at end), s.last_update_at
      )
    end as known_to
  from silence s
  left join derived.feed_span r on r.chain = s.chain and r.feed_address = s.feed_address
  group by s.chain, s.feed_address, s.last_update_at, s.next_update_at
),
clock as (
  select
    s.chain, s.feed_address, s.last_update_at,
    greatest(s.last_update_at, v.valid_from, o.opened_at) as runs_from,
    least(s.next_update_at, v.valid_to, o.closes_at, coalesce(s.known_to + 1, 253402300799)) as runs_to,
    greatest(s.last_update_at, o.opened_at) + v.heartbeat_s + p.grace_s as threshold_at
  from known_silence s
  join derived.feed_version v
    on v.chain = s.chain and v.feed_address = s.feed_address
    and v.valid_from < s.next_update_at and v.valid_to > s.last_update_at
  join derived.market_opening o
    on o.market_hours = v.market_hours
    and o.opened_at < s.next_update_at and o.closes_at > s.last_update_at
  cross join policy.oracle p
  where v.heartbeat_s is not null
),
numbered_version as (
  select *, row_number() over (partition by chain, feed_address order by valid_from) as place
  from derived.feed_version
),
band as (
  select 'fresh' as grade, -253402300799 as from_age_s, 1 as to_age_s
  union all
  select 'warn' as grade, 1 as from_age_s, stale_high_s as to_age_s from policy.oracle
  union all
  select 'high' as grade, stale_high_s as from_age_s, stale_critical_s as to_age_s from policy.oracle
  union all
  select 'critical' as grade, stale_critical_s as from_age_s, 253402300799 as to_age_s from policy.oracle
),
piece as (
  select
    c.chain, c.feed_address, greatest(c.runs_from, c.threshold_at + b.from_age_s) as assessed_at, b.grade,
    c.last_update_at, c.threshold_at
  from clock c
  join band b on greatest(c.runs_from, c.threshold_at + b.from_age_s) < least(c.runs_to, c.threshold_at + b.to_age_s)
  union all
  select
    v.chain, v.feed_address, v.valid_from as assessed_at,
    case when v.heartbeat_s is not null and v.is_market_modelled then 'unknown' else 'unverifiable' end as grade,
    cast(null as bigint) as last_update_at, cast(null as bigint) as threshold_at
  from numbered_version v
  left join first_update u on u.chain = v.chain and u.feed_address = v.feed_address
  left join derived.market_opening o
    on o.market_hours = v.market_hours and o.opened_at <= v.valid_from and o.closes_at > v.valid_from
  where v.heartbeat_s is null or not v.is_market_modelled or u.first_at is null or u.first_at > v.valid_from
    or (v.place = 1 and o.opened_at is null)
),
before as (
  select
    chain, feed_address, assessed_at, grade, last_update_at, threshold_at,
    row_number() over (partition by chain, feed_address order by assessed_at desc) as place
  from derived.feed_status
  where day = @start - 86400
),
known as (
  select chain, feed_address, assessed_at, grade, last_update_at, threshold_at from before where place = 1
  union all
  select chain, feed_address, assessed_at, grade, last_update_at, threshold_at from piece where assessed_at >= @start and assessed_at < @end
),
compared as (
  select *, lag(grade) over (partition by chain, feed_address order by assessed_at) as previous_grade
  from known
),
change as (
  select *, lead(assessed_at, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, feed_address order by assessed_at) as until_at
  from compared
  where assessed_at < @start or previous_grade is null or previous_grade <> grade
),
-- A change on its day, and carried over into each later day.
row_of_day as (
  select
    c.chain, c.feed_address, greatest(t.midnight, c.assessed_at) as assessed_at, c.grade,
    case when t.midnight > c.assessed_at then c.grade else c.previous_grade end as previous_grade, c.last_update_at, c.threshold_at,
    t.midnight <= c.assessed_at as is_change
  from change c
  cross join unnest(
    sequence(c.assessed_at - c.assessed_at % 86400, greatest(c.until_at - 1, c.assessed_at), 86400)
  ) as t(midnight)
  where t.midnight > c.assessed_at or c.assessed_at >= @start
)
select
  chain, feed_address, assessed_at, assessed_at - assessed_at % 86400 as day, grade,
  case when grade in ('warn', 'high', 'critical') then 'stale' else grade end as staleness_status,
  previous_grade, last_update_at, threshold_at, is_change
from row_of_day
