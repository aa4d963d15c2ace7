-- Where one peg stands after a depeg has ended (ended_at): a stay is an unbroken run of observations inside the exit band since then, and
-- is judged once, when it has lasted the hold. If it then holds enough observations the asset has recovered, at that second, once per
-- depeg; if not, the next stay is judged. Enough is the policy's share, rounded up, of what the feed owes: one observation per
-- heartbeat and grace in full, so none besides the one that began the stay where the heartbeat is longer than the hold. Without a
-- heartbeat nothing is owed and nothing recovers. Besides observations there is a row (round `recovery`) at the recovery, and every day
-- opens with a row (without a round) that carries the stay over.
-- kind: window   grain: chain, symbol, quote, observed_at, round_id   time: observed_at   order: day, chain, symbol, observed_at, round_id
with before as (
  select *, row_number() over (partition by chain, symbol, quote order by observed_at desc, length(round_id) desc, round_id desc) as place
  from derived.peg_recovery
  where day = @start - 86400
),
input as (
  select
    chain, symbol, quote, observed_at, round_id, ended_at, is_in_stay, stay_started_at, stay_length as weight,
    heartbeat_s, recovered_at
  from before
  where place = 1
  union all
  select
    s.chain, s.symbol, s.quote, s.observed_at, s.round_id,
    case when s.is_depegged then null else s.since_at end as ended_at,
    not s.is_depegged and s.zone = 'inside' as is_in_stay,
    s.observed_at as stay_started_at, 1 as weight, o.heartbeat_s, cast(null as bigint) as recovered_at
  from derived.peg_step s
  join derived.peg_observation o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote
    and o.observed_at = s.observed_at and o.round_id = s.round_id
  where s.is_observation and s.since_at is not null and s.observed_at >= @start and s.observed_at < @end
),
neighboured as (
  select
    *,
    row_number() over in_order as place,
    lag(is_in_stay) over in_order as was_in_stay,
    lag(ended_at) over in_order as previous_ended_at,
    lead(observed_at, 1, @end) over in_order as until_at
  from input
  window in_order as (partition by chain, symbol, quote order by observed_at, length(round_id), round_id)
),
parted as (
  select
    *,
    sum(case when is_in_stay = was_in_stay and ended_at is not distinct from previous_ended_at then 0 else 1 end) over (
      partition by chain, symbol, quote order by place rows between unbounded preceding and current row
    ) as stay
  from neighboured
),
counted as (
  select
    chain, symbol, quote, observed_at, round_id, ended_at, is_in_stay, heartbeat_s, recovered_at, until_at,
    first_value(stay_started_at) over in_stay as stay_started_at,
    cast(sum(weight) over in_stay as bigint) as stay_length
  from parted
  window in_stay as (
    partition by chain, symbol, quote, stay order by place rows between unbounded preceding and current row
  )
),
owed as (
  select
    c.*,
    c.stay_started_at + a.recovery_hold_s as due_at,
    ceil(a.recovery_min_observed_fraction * floor(cast(a.recovery_hold_s as double) / (c.heartbeat_s + p.grace_s))) as enough
  from counted c
  join obs.peg_asset_policy a on a.symbol = c.symbol and a.quote = c.quote
  cross join obs.oracle_policy p
),
judged as (
  select
    chain, symbol, quote, observed_at, round_id, ended_at, is_in_stay, stay_started_at, stay_length, heartbeat_s, until_at,
    min(
      case
        when recovered_at is not null then recovered_at
        when is_in_stay and ended_at is not null and due_at >= observed_at and due_at >= @start and due_at < until_at
          and stay_length - 1 >= enough then due_at
      end
    ) over (partition by chain, symbol, quote, ended_at) as recovers_at
  from owed
),
opened as (
  select *, observed_at as row_at, round_id as row_id from judged where observed_at >= @start
  union all
  select *, recovers_at as row_at, 'recovery' as row_id
  from judged
  where recovers_at >= @start and recovers_at >= observed_at and recovers_at < until_at
  union all
  select j.*, t.midnight as row_at, '' as row_id
  from judged j
  cross join unnest(sequence(j.observed_at - j.observed_at % 86400, j.until_at, 86400)) as t(midnight)
  where t.midnight > j.observed_at and t.midnight < @end
)
select
  chain, symbol, quote, row_at as observed_at, row_id as round_id, row_at - row_at % 86400 as day, ended_at, is_in_stay,
  stay_started_at, stay_length, heartbeat_s,
  case when recovers_at <= row_at then recovers_at end as recovered_at
from opened
