-- The recovery of one peg after a depeg or a doubt has ended (ended_at). A stay is an unbroken run of observations inside the exit band since that
-- end. The asset recovers, once per depeg, at the first of these instants at which the stay has lasted the hold and live sources covered
-- the policy's share of the hold's seconds: the second at which the hold is over, if a source covers it, and each later observation. Time
-- counts, not rounds, and nothing recovers in silence. Nothing is covered in an outage (derived.peg_outage); the return of the reference from
-- one counts like an observation. In addition to a row for each row of derived.peg_step there is one at each such return (place 0), and one
-- at the recovery (is_recovery).
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: observed_at   order: day, chain, symbol, observed_at, place
with step as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, s.observed_at, s.place, s.is_observation, s.covers_to as lapses_at,
    case when not s.is_open then s.since_at end as ended_at,
    not s.is_open and s.zone = 'inside' as is_in_stay,
    a.recovery_hold_s as hold_s, a.recovery_min_observed_fraction * a.recovery_hold_s as enough_s,
    lead(s.observed_at, 1, 253402300799) over (
      partition by s.chain, s.symbol, s.quote, s.asset_id order by s.observed_at, s.place
    ) as until_at
  from derived.peg_step s
  join derived.peg_asset a on a.chain = s.chain and a.symbol = s.symbol and a.quote = s.quote and a.asset_id = s.asset_id
  where s.since_at is not null and s.observed_at >= @start - a.recovery_hold_s - 86400 and s.observed_at < @end
),
-- The price is known again at the second at which its reference returns, without an observation.
part as (
  select chain, symbol, quote, asset_id, observed_at, place, is_observation, false as is_return, lapses_at, ended_at, is_in_stay, hold_s, enough_s
  from step
  union all
  select distinct
    s.chain, s.symbol, s.quote, s.asset_id, o.to_at as observed_at, cast(0 as bigint) as place, false as is_observation, true as is_return,
    s.lapses_at, s.ended_at, s.is_in_stay, s.hold_s, s.enough_s
  from step s
  join derived.peg_outage o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id and o.role = 'reference'
    and o.to_at > s.observed_at and o.to_at < s.until_at and o.to_at < @end
  where o.from_at >= @start - s.hold_s - 172800 and o.from_at < @end
),
bounded as (
  select
    *,
    lead(observed_at, 1, 253402300799) over (
      partition by chain, symbol, quote, asset_id order by observed_at, place
    ) as until_at
  from part
),
live as (
  select
    b.chain, b.symbol, b.quote, b.asset_id, b.observed_at, b.place, b.is_observation, b.is_return, b.ended_at, b.is_in_stay, b.hold_s,
    b.enough_s, b.until_at, least(b.lapses_at, coalesce(min(o.from_at) - 1, b.lapses_at)) as covers_to
  from bounded b
  left join derived.peg_outage o
    on o.chain = b.chain and o.symbol = b.symbol and o.quote = b.quote and o.asset_id = b.asset_id
    and o.from_at < b.until_at and o.to_at > b.observed_at and o.from_at >= @start - b.hold_s - 172800 and o.from_at < @end
  group by
    b.chain, b.symbol, b.quote, b.asset_id, b.observed_at, b.place, b.is_observation, b.is_return, b.ended_at, b.is_in_stay, b.hold_s,
    b.enough_s, b.until_at, b.lapses_at
),
covered as (
  select *, greatest(least(covers_to + 1, until_at) - observed_at, 0) as covered_s
  from live
),
summed as (
  select
    *,
    coalesce(
      sum(covered_s) over (
        partition by chain, symbol, quote, asset_id order by observed_at, place rows between unbounded preceding and 1 preceding
      ),
      0
    ) as covered_before_s
  from covered
),
-- Coverage up to one hold earlier: that of the last row at or before that time, as far as the row covers it.
compared as (
  select
    *,
    covered_before_s - least(
      max(covered_before_s) over by_then + observed_at - hold_s - max(observed_at) over by_then,
      max(covered_before_s + covered_s) over by_then
    ) as covered_of_hold_s
  from summed
  window by_then as (
    partition by chain, symbol, quote, asset_id order by observed_at range between unbounded preceding and hold_s preceding
  )
),
before as (
  select *, row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_recovery
  where day = @start - 86400
),
input as (
  select
    chain, symbol, quote, asset_id, observed_at, place, ended_at, is_in_stay, stay_started_at, recovered_at, false as is_observation,
    false as is_return, cast(null as bigint) as until_at, cast(null as bigint) as covers_to, cast(null as bigint) as hold_s, cast(null as double) as enough_s,
    cast(null as bigint) as covered_before_s, cast(null as bigint) as covered_of_hold_s
  from before
  where recency = 1
  union all
  select
    chain, symbol, quote, asset_id, observed_at, place, ended_at, is_in_stay, observed_at as stay_started_at,
    cast(null as bigint) as recovered_at, is_observation, is_return, until_at, covers_to, hold_s, enough_s,
    cast(covered_before_s as bigint), cast(covered_of_hold_s as bigint)
  from compared
  where observed_at >= @start
),
neighboured as (
  select
    *,
    row_number() over in_order as step_no,
    lag(is_in_stay) over in_order as was_in_stay,
    lag(ended_at) over in_order as previous_ended_at
  from input
  window in_order as (partition by chain, symbol, quote, asset_id order by observed_at, place)
),
parted as (
  select
    *,
    sum(case when is_in_stay = was_in_stay and ended_at is not distinct from previous_ended_at then 0 else 1 end) over (
      partition by chain, symbol, quote, asset_id order by step_no rows between unbounded preceding and current row
    ) as stay
  from neighboured
),
stayed as (
  select
    p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.ended_at, p.is_in_stay, p.recovered_at, p.is_observation, p.is_return, p.until_at,
    p.covers_to, p.hold_s, p.enough_s, p.covered_before_s, p.covered_of_hold_s,
    first_value(p.stay_started_at) over (
      partition by p.chain, p.symbol, p.quote, p.asset_id, p.stay order by p.step_no
      rows between unbounded preceding and current row
    ) as stay_started_at
  from parted p
),
opening as (
  select chain, symbol, quote, asset_id, observed_at, min(covered_before_s) as covered_before_s
  from summed
  group by chain, symbol, quote, asset_id, observed_at
),
judged as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, s.observed_at, s.place, s.ended_at, s.is_in_stay, s.stay_started_at, s.until_at,
    min(
      case
        when s.recovered_at is not null then s.recovered_at
        when not s.is_in_stay or s.ended_at is null or s.until_at <= s.observed_at then null
        when s.stay_started_at + s.hold_s between s.observed_at and least(s.until_at - 1, s.covers_to)
          and s.covered_before_s - o.covered_before_s + s.stay_started_at + s.hold_s - s.observed_at >= s.enough_s
          then s.stay_started_at + s.hold_s
        when (s.is_observation or s.is_return) and s.observed_at > s.stay_started_at + s.hold_s and s.covered_of_hold_s >= s.enough_s then s.observed_at
      end
    ) over (partition by s.chain, s.symbol, s.quote, s.asset_id, s.ended_at) as recovers_at
  from stayed s
  left join opening o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id
    and o.observed_at = s.stay_started_at
),
-- Each row as it is, and again at the recovery if that is before the next row.
reported as (
  select
    j.chain, j.symbol, j.quote, j.asset_id, case when r.is_recovery then j.recovers_at else j.observed_at end as observed_at,
    case when r.is_recovery then 1000000 else j.place end as place, j.ended_at, j.is_in_stay, j.stay_started_at, j.recovers_at,
    r.is_recovery
  from judged j
  cross join (
    select false as is_recovery
    union all
    select true as is_recovery
  ) r
  where (not r.is_recovery and j.observed_at >= @start)
    or (r.is_recovery and j.recovers_at >= @start and j.recovers_at >= j.observed_at and j.recovers_at < j.until_at)
)
select
  chain, symbol, quote, asset_id, observed_at, place, observed_at - observed_at % 86400 as day, ended_at, is_in_stay, stay_started_at,
  case when recovers_at <= observed_at then recovers_at end as recovered_at,
  is_recovery
from reported
