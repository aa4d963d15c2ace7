-- The state of one peg after one observation: for how many consecutive observations the price has been in its zone, whether the asset is
-- depegged (level 1 while its sources have disagreed throughout, 2 once they agreed), since when (since_at is the last start or end), and
-- the edge at this observation. A start needs as many consecutive observations beyond the band as the policy requires, with the last far
-- enough in time from the first, or a single one far beyond; an end needs the same inside the exit band; `agree` is the first such
-- observation after a disputed start at which all sources, at least two, are beyond. An observation whose live sources differ from those
-- of the previous one is never an edge. Missing data changes nothing. Every day opens with a row (with place 0) that carries the state
-- over.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: day   order: day, chain, symbol, observed_at, place
with before as (
  select *, row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @start - 86400
),
input as (
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, false as is_far, false as is_disputed, sources, live_set, covers_to,
    run_started_at, run_length as weight, level as carried_level, since_at as carried_since_at
  from before
  where recency = 1
  union all
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, is_far, is_disputed, sources, live_set, covers_to,
    observed_at as run_started_at, 1 as weight, cast(null as bigint) as carried_level, cast(null as bigint) as carried_since_at
  from derived.peg_observation
  where observed_at >= @start and observed_at < @end
),
neighboured as (
  select
    *,
    row_number() over in_order as step,
    lag(zone) over in_order as previous_zone,
    coalesce(lag(live_set) over in_order, live_set) <> live_set as is_switch
  from input
  window in_order as (partition by chain, symbol, quote, asset_id order by observed_at, place)
),
parted as (
  select
    *,
    sum(case when zone = previous_zone then 0 else 1 end) over (
      partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row
    ) as run
  from neighboured
),
counted as (
  select
    chain, symbol, quote, asset_id, observed_at, place, step, zone, is_far, is_disputed, is_switch, sources, live_set, covers_to,
    carried_level, carried_since_at,
    first_value(run_started_at) over in_run as run_started_at,
    cast(sum(weight) over in_run as bigint) as run_length
  from parted
  window in_run as (
    partition by chain, symbol, quote, asset_id, run order by step rows between unbounded preceding and current row
  )
),
confirmed as (
  select
    c.*,
    c.carried_level is null and not c.is_switch
    and (
      (c.zone = 'beyond' and c.is_far)
      or (
        c.run_length >= a.confirm_observations
        and (a.confirm_observations <= 1 or c.observed_at - c.run_started_at >= a.confirm_spacing_s)
      )
    ) as is_confirmed
  from counted c
  join derived.peg_asset a on a.chain = c.chain and a.symbol = c.symbol and a.quote = c.quote and a.asset_id = c.asset_id
),
-- Between two confirmed returns the level only rises: each such period is one depeg.
stretched as (
  select
    *,
    sum(case when is_confirmed and zone = 'inside' then 1 else 0 end) over so_far as stretch,
    is_confirmed and zone = 'beyond' as is_enter
  from confirmed
  window so_far as (
    partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row
  )
),
entered as (
  select
    *,
    coalesce(
      max(case when carried_level > 0 or is_enter then 1 else 0 end) over (
        partition by chain, symbol, quote, asset_id, stretch order by step rows between unbounded preceding and 1 preceding
      ),
      0
    ) as was_entered
  from stretched
),
levelled as (
  select
    *,
    cast(
      max(
        case
          when carried_level is not null then carried_level
          when is_enter and is_disputed then 1
          when is_enter and (was_entered = 0 or sources > 1) then 2
          else 0
        end
      ) over (partition by chain, symbol, quote, asset_id, stretch order by step rows between unbounded preceding and current row) as bigint
    ) as level
  from entered
),
edged as (
  select
    *,
    case
      when carried_level is not null then null
      when level > 0 and coalesce(previous_level, 0) = 0 then 'start'
      when level > previous_level then 'agree'
      when level = 0 and previous_level > 0 then 'end'
    end as edge
  from (
    select *, lag(level) over (partition by chain, symbol, quote, asset_id order by step) as previous_level from levelled
  ) l
),
stated as (
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, sources, live_set, covers_to, run_started_at, run_length, level, edge,
    max(case when edge in ('start', 'end') then observed_at else carried_since_at end) over (
      partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row
    ) as since_at,
    lead(observed_at, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, symbol, quote, asset_id order by step) as until_at
  from edged
),
-- An observation on its day, and its state carried over into each later day.
opened as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, greatest(t.midnight, s.observed_at) as observed_at,
    case when t.midnight > s.observed_at then 0 else s.place end as place, s.zone, s.sources, s.live_set, s.covers_to, s.run_started_at,
    s.run_length, s.level, case when t.midnight <= s.observed_at then s.edge end as edge, s.since_at,
    t.midnight <= s.observed_at as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where case
    when t.midnight > s.observed_at then t.midnight < @end - 1 - (@end - 1) % 86400 + 86400
    else s.observed_at >= @start
  end
)
select
  chain, symbol, quote, asset_id, observed_at, place, observed_at - observed_at % 86400 as day, zone, sources, live_set, covers_to,
  run_started_at, run_length, level, level > 0 as is_depegged, since_at, edge, is_observation
from opened
