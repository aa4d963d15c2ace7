-- The state of one assumption after one observation: how many consecutive observations have been in one zone and since when, whether it is
-- broken (is_active), since when (since_at is the last edge), and the edge at this observation. A break needs as many consecutive
-- observations beyond the band as the policy requires, the first of them long enough ago, or a single one far beyond; an end needs as many
-- inside. No market rests on it any more: zone `removed`, which ends it. A silence longer than the maximum age of a path confirms nothing: counting restarts after it, and the state is kept. Every day
-- opens with a row (no observation) that carries the state over.
-- kind: window   grain: chain, assumption_id, observed_at, is_observation   time: day   by_hour: observed_at   order: day, chain, assumption_id, observed_at, is_observation
with before as (
  select
    *, row_number() over (partition by chain, assumption_id order by observed_at desc, is_observation desc) as place
  from derived.assumption_step
  where day = @start - 86400
),
input as (
  select
    chain, assumption_id, observed_at, zone, false as is_far, last_at, run_length as weight, run_from,
    case when is_active then 'enter' else 'exit' end as carried_signal, since_at as carried_since_at
  from before
  where place = 1
  union all
  select
    chain, assumption_id, observed_at, zone, is_far, observed_at as last_at, 1 as weight, observed_at as run_from,
    cast(null as varchar) as carried_signal, cast(null as bigint) as carried_since_at
  from derived.assumption_observation
  where observed_at >= @start and observed_at < @end
  union all
  select
    chain, assumption_id, max(valid_to) as observed_at, 'removed' as zone, false as is_far, max(valid_to) as last_at, 1 as weight,
    max(valid_to) as run_from, cast(null as varchar) as carried_signal, cast(null as bigint) as carried_since_at
  from derived.path_assumption
  group by chain, assumption_id
  having max(valid_to) >= @start and max(valid_to) < @end
),
neighboured as (
  select
    i.*,
    row_number() over in_order as place,
    lag(i.zone) over in_order as previous_zone,
    i.last_at - lag(i.last_at) over in_order as gap_s
  from input i
  window in_order as (partition by i.chain, i.assumption_id order by i.last_at, i.carried_signal nulls last)
),
parted as (
  select
    n.*,
    sum(case when n.zone = n.previous_zone and n.gap_s <= p.path_max_age_s then 0 else 1 end) over (
      partition by n.chain, n.assumption_id order by n.place rows between unbounded preceding and current row
    ) as run
  from neighboured n
  cross join policy.oracle_paths p
),
counted as (
  select
    chain, assumption_id, observed_at, last_at, place, zone, is_far, carried_signal, carried_since_at,
    min(run_from) over (
      partition by chain, assumption_id, run order by place rows between unbounded preceding and current row
    ) as run_from,
    cast(sum(weight) over (
      partition by chain, assumption_id, run order by place rows between unbounded preceding and current row
    ) as bigint) as run_length
  from parted
),
signalled as (
  select
    c.*,
    case
      when c.carried_signal is not null then c.carried_signal
      when c.zone = 'removed' then 'exit'
      when c.zone = 'beyond' and (c.is_far or c.run_length >= p.confirm_observations and c.observed_at - c.run_from >= coalesce(b.own_spacing_s, p.confirm_spacing_s))
        then 'enter'
      when c.zone = 'inside' and c.run_length >= p.confirm_observations and c.observed_at - c.run_from >= p.confirm_spacing_s then 'exit'
    end as signal
  from counted c
  cross join policy.oracle_paths p
  left join derived.assumption_band b on b.chain = c.chain and b.assumption_id = c.assumption_id
),
latched as (
  select
    *,
    coalesce(
      max_by(signal, case when signal is not null then place end) over (
        partition by chain, assumption_id order by place rows between unbounded preceding and current row
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
    select *, lag(latch) over (partition by chain, assumption_id order by place) as previous_latch from latched
  ) l
),
stated as (
  select
    chain, assumption_id, observed_at, last_at, zone, run_length, run_from, latch = 'enter' as is_active, edge,
    max(case when edge is not null then observed_at else carried_since_at end) over (
      partition by chain, assumption_id order by place rows between unbounded preceding and current row
    ) as since_at,
    lead(observed_at, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, assumption_id order by place) as until_at
  from edged
),
opened as (
  select *, true as is_observation from stated where observed_at >= @start
  union all
  select
    s.chain, s.assumption_id, t.midnight as observed_at, s.last_at, s.zone, s.run_length, s.run_from, s.is_active,
    cast(null as varchar) as edge, s.since_at, s.until_at, false as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where t.midnight > s.observed_at and t.midnight < @end - 1 - (@end - 1) % 86400 + 86400
)
select
  chain, assumption_id, observed_at, observed_at - observed_at % 86400 as day, zone, run_length, run_from, last_at, is_active, since_at,
  edge, is_observation
from opened
