-- The state of one peg after one observation: how long its price has stayed in its zone without a break, whether the asset is depegged, since
-- when (since_at is the last edge), and the edge that this observation makes. A start needs as many observations in a row beyond the band
-- as the policy asks, the last of them far enough in time from the first, or a single one far beyond; an end needs the same inside the exit
-- band. Missing data changes nothing. Every day opens with a row (without a round) that carries the state over.
-- kind: window   grain: chain, symbol, quote, observed_at, round_id   time: observed_at   order: day, chain, symbol, observed_at, round_id
with before as (
  select *, row_number() over (partition by chain, symbol, quote order by observed_at desc, length(round_id) desc, round_id desc) as place
  from derived.peg_step
  where day = @start - 86400
),
input as (
  select
    chain, symbol, quote, observed_at, round_id, zone, false as is_far, run_started_at, run_length as weight,
    case when is_depegged then 'enter' else 'exit' end as carried_signal, since_at as carried_since_at
  from before
  where place = 1
  union all
  select
    chain, symbol, quote, observed_at, round_id, zone, is_far, observed_at as run_started_at, 1 as weight,
    cast(null as varchar) as carried_signal, cast(null as bigint) as carried_since_at
  from derived.peg_observation
  where observed_at >= @start and observed_at < @end
),
neighboured as (
  select
    *,
    row_number() over in_order as place,
    lag(zone) over in_order as previous_zone
  from input
  window in_order as (partition by chain, symbol, quote order by observed_at, length(round_id), round_id)
),
parted as (
  select
    *,
    sum(case when zone = previous_zone then 0 else 1 end) over (
      partition by chain, symbol, quote order by place rows between unbounded preceding and current row
    ) as run
  from neighboured
),
counted as (
  select
    chain, symbol, quote, observed_at, round_id, place, zone, is_far, carried_signal, carried_since_at,
    first_value(run_started_at) over in_run as run_started_at,
    cast(sum(weight) over in_run as bigint) as run_length
  from parted
  window in_run as (
    partition by chain, symbol, quote, run order by place rows between unbounded preceding and current row
  )
),
signalled as (
  select
    c.*,
    case
      when c.carried_signal is not null then c.carried_signal
      when c.zone = 'beyond' and c.is_far then 'enter'
      when c.run_length < p.confirm_observations then null
      when p.confirm_observations > 1 and c.observed_at - c.run_started_at < p.confirm_spacing_s then null
      when c.zone = 'beyond' then 'enter'
      when c.zone = 'inside' then 'exit'
    end as signal
  from counted c
  join obs.peg_asset_policy p on p.symbol = c.symbol and p.quote = c.quote
),
latched as (
  select
    *,
    coalesce(
      max_by(signal, case when signal is not null then place end) over (
        partition by chain, symbol, quote order by place rows between unbounded preceding and current row
      ),
      'exit'
    ) as latch
  from signalled
),
edged as (
  select
    *,
    case
      when carried_signal is not null then null
      when latch = 'enter' and coalesce(previous_latch, 'exit') = 'exit' then 'start'
      when latch = 'exit' and previous_latch = 'enter' then 'end'
    end as edge
  from (
    select *, lag(latch) over (partition by chain, symbol, quote order by place) as previous_latch from latched
  ) l
),
stated as (
  select
    chain, symbol, quote, observed_at, round_id, zone, run_started_at, run_length, latch = 'enter' as is_depegged, edge,
    max(case when edge is not null then observed_at else carried_since_at end) over (
      partition by chain, symbol, quote order by place rows between unbounded preceding and current row
    ) as since_at,
    lead(observed_at, 1, @end) over (partition by chain, symbol, quote order by place) as until_at
  from edged
),
opened as (
  select *, true as is_observation from stated where observed_at >= @start
  union all
  select
    s.chain, s.symbol, s.quote, t.midnight as observed_at, '' as round_id, s.zone,
    s.run_started_at, s.run_length, s.is_depegged, cast(null as varchar) as edge, s.since_at, s.until_at,
    false as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where t.midnight > s.observed_at and t.midnight < @end
)
select
  chain, symbol, quote, observed_at, round_id, observed_at - observed_at % 86400 as day, zone, run_started_at,
  run_length, is_depegged, since_at, edge, is_observation
from opened
