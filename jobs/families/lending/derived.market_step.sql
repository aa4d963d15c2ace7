-- The state of one market by one measure after one observation: how many consecutive observations have been in one zone, whether the market
-- is in trouble (is_active), since when (since_at is the last edge), and the edge at this observation. A start needs as many consecutive
-- observations beyond the limit as the policy requires, or a single one far beyond; an end needs as many in the calm band. A stale period,
-- longer than the maximum age of a state, confirms nothing: counting restarts after it, and the state is kept. Every day opens with a row
-- (no observation) that carries the state over.
-- kind: window   grain: chain, market_id, measure, observed_at, is_observation   time: day   order: day, chain, market_id, measure, observed_at, is_observation
with before as (
  select
    *, row_number() over (partition by chain, market_id, measure order by observed_at desc, is_observation desc) as place
  from derived.market_step
  where day = @start - 86400
),
input as (
  select
    chain, market_id, measure, observed_at, zone, false as is_far, last_at, run_length as weight,
    case when is_active then 'enter' else 'exit' end as carried_signal, since_at as carried_since_at
  from before
  where place = 1
  union all
  select
    chain, market_id, measure, observed_at, zone, is_far, observed_at as last_at, 1 as weight,
    cast(null as varchar) as carried_signal, cast(null as bigint) as carried_since_at
  from derived.market_signal
  where observed_at >= @start and observed_at < @end
),
neighboured as (
  select
    i.*,
    row_number() over in_order as place,
    lag(i.zone) over in_order as previous_zone,
    i.last_at - lag(i.last_at) over in_order as gap_s
  from input i
  window in_order as (partition by i.chain, i.market_id, i.measure order by i.last_at, i.carried_signal nulls last)
),
parted as (
  select
    n.*,
    sum(case when n.zone = n.previous_zone and n.gap_s <= p.state_max_age_s then 0 else 1 end) over (
      partition by n.chain, n.market_id, n.measure order by n.place rows between unbounded preceding and current row
    ) as run
  from neighboured n
  cross join policy.lending p
),
counted as (
  select
    chain, market_id, measure, observed_at, last_at, place, zone, is_far, carried_signal, carried_since_at,
    cast(sum(weight) over (
      partition by chain, market_id, measure, run order by place rows between unbounded preceding and current row
    ) as bigint) as run_length
  from parted
),
signalled as (
  select
    c.*,
    case
      when c.carried_signal is not null then c.carried_signal
      when c.zone = 'beyond' and (c.is_far or c.run_length >= p.confirm_observations) then 'enter'
      when c.zone = 'inside' and c.run_length >= p.confirm_observations then 'exit'
    end as signal
  from counted c
  cross join policy.lending p
),
latched as (
  select
    *,
    coalesce(
      max_by(signal, case when signal is not null then place end) over (
        partition by chain, market_id, measure order by place rows between unbounded preceding and current row
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
    select *, lag(latch) over (partition by chain, market_id, measure order by place) as previous_latch from latched
  ) l
),
stated as (
  select
    chain, market_id, measure, observed_at, last_at, zone, run_length, latch = 'enter' as is_active, edge,
    max(case when edge is not null then observed_at else carried_since_at end) over (
      partition by chain, market_id, measure order by place rows between unbounded preceding and current row
    ) as since_at,
    lead(observed_at, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, market_id, measure order by place) as until_at
  from edged
),
opened as (
  select *, true as is_observation from stated where observed_at >= @start
  union all
  select
    s.chain, s.market_id, s.measure, t.midnight as observed_at, s.last_at, s.zone, s.run_length, s.is_active,
    cast(null as varchar) as edge, s.since_at, s.until_at, false as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where t.midnight > s.observed_at and t.midnight < @end - 1 - (@end - 1) % 86400 + 86400
)
select
  chain, market_id, measure, observed_at, observed_at - observed_at % 86400 as day, zone, run_length, last_at, is_active, since_at,
  edge, is_observation
from opened
