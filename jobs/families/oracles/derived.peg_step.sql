-- The state of one peg after one observation: for how many consecutive observations the price, and its farthest source (worst_…), have been
-- in their zones; whether the asset is depegged (level 1 while its price has been contested throughout, 2 once they agreed) or doubted (one
-- source off its peg is no depeg); since when either holds or neither does (since_at); and the edge at this observation. A start needs as
-- many consecutive observations beyond the band as the policy requires, with the last far enough in time from the first, or a single one far
-- beyond; a doubt needs the same of the farthest source, and is never at once. A depeg ends with as many observations inside the exit band
-- once no source is beyond the band; a doubt ends with the depeg, or once every source has stayed inside the exit band. `start` and `end` are
-- the edges of both together; `agree` is the first observation after a disputed start at which all sources, at least two, are beyond, and
-- after a doubted one the first of a depeg that is not disputed. An observation whose live sources differ from those of the previous one is never an edge. Missing data changes
-- nothing. Every day opens with a row (with place 0) that carries the state over.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: day   order: day, chain, symbol, observed_at, place
with before as (
  select *, row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @start - 86400
),
input as (
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, worst_zone, false as is_far, false as is_contested, sources, live_set, covers_to,
    run_started_at, run_length as weight, worst_run_started_at, worst_run_length as worst_weight, level as carried_level,
    is_doubted as carried_doubt, since_at as carried_since_at
  from before
  where recency = 1
  union all
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, worst_zone, is_far, is_contested, sources, live_set, covers_to,
    observed_at as run_started_at, 1 as weight, observed_at as worst_run_started_at, 1 as worst_weight, cast(null as bigint) as carried_level,
    cast(null as boolean) as carried_doubt, cast(null as bigint) as carried_since_at
  from derived.peg_observation
  where observed_at >= @start and observed_at < @end
),
neighboured as (
  select
    *,
    row_number() over in_order as step,
    lag(zone) over in_order as previous_zone,
    lag(worst_zone) over in_order as previous_worst_zone,
    coalesce(lag(live_set) over in_order, live_set) <> live_set as is_switch
  from input
  window in_order as (partition by chain, symbol, quote, asset_id order by observed_at, place)
),
parted as (
  select
    *,
    sum(case when zone = previous_zone then 0 else 1 end) over so_far as run,
    sum(case when worst_zone = previous_worst_zone then 0 else 1 end) over so_far as worst_run
  from neighboured
  window so_far as (
    partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row
  )
),
counted as (
  select
    chain, symbol, quote, asset_id, observed_at, place, step, zone, worst_zone, is_far, is_contested, is_switch, sources, live_set, covers_to,
    carried_level, carried_doubt, carried_since_at,
    first_value(run_started_at) over in_run as run_started_at,
    cast(sum(weight) over in_run as bigint) as run_length,
    first_value(worst_run_started_at) over in_worst_run as worst_run_started_at,
    cast(sum(worst_weight) over in_worst_run as bigint) as worst_run_length
  from parted
  window
    in_run as (
      partition by chain, symbol, quote, asset_id, run order by step rows between unbounded preceding and current row
    ),
    in_worst_run as (
      partition by chain, symbol, quote, asset_id, worst_run order by step rows between unbounded preceding and current row
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
    ) as is_confirmed,
    c.carried_level is null and not c.is_switch
    and c.worst_run_length >= a.confirm_observations
    and (a.confirm_observations <= 1 or c.observed_at - c.worst_run_started_at >= a.confirm_spacing_s) as is_worst_confirmed,
    a.is_disagreement_reported
  from counted c
  join derived.peg_asset a on a.chain = c.chain and a.symbol = c.symbol and a.quote = c.quote and a.asset_id = c.asset_id
),
-- Between two confirmed returns the level only rises: each such period is at most one depeg.
stretched as (
  select
    *,
    sum(case when is_confirmed and zone = 'inside' and worst_zone <> 'beyond' then 1 else 0 end) over so_far as stretch,
    is_confirmed and zone = 'inside' and worst_zone <> 'beyond' as is_return,
    is_confirmed and zone = 'beyond' as is_enter
  from confirmed
  window so_far as (
    partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row
  )
),
entered as (
  select
    *,
    max(case when carried_level > 0 or is_enter then 1 else 0 end) over (
      partition by chain, symbol, quote, asset_id, stretch order by step rows between unbounded preceding and current row
    ) as is_entered
  from stretched
),
-- A doubt lasts until every source has stayed inside, or until the depeg that it became ends.
doubted as (
  select
    *,
    sum(
      case when (is_worst_confirmed and worst_zone = 'inside') or (is_return and was_entered = 1) then 1 else 0 end
    ) over (partition by chain, symbol, quote, asset_id order by step rows between unbounded preceding and current row) as doubt
  from (
    select *, coalesce(lag(is_entered) over (partition by chain, symbol, quote, asset_id order by step), 0) as was_entered from entered
  ) e
),
alarmed as (
  select
    *,
    max(
      case when carried_doubt or (is_worst_confirmed and worst_zone = 'beyond' and is_disagreement_reported) then 1 else 0 end
    ) over (partition by chain, symbol, quote, asset_id, doubt order by step rows between unbounded preceding and current row) = 1 as is_doubted
  from doubted
),
levelled as (
  select
    *,
    cast(
      max(
        case
          when carried_level is not null then carried_level
          when is_enter and is_contested then 1
          when is_enter and (was_depegged = 0 or sources > 1) then 2
          else 0
        end
      ) over (partition by chain, symbol, quote, asset_id, stretch order by step rows between unbounded preceding and current row) as bigint
    ) as level
  from (
    select
      *,
      coalesce(
        max(case when carried_level > 0 or is_enter then 1 else 0 end) over (
          partition by chain, symbol, quote, asset_id, stretch order by step rows between unbounded preceding and 1 preceding
        ),
        0
      ) as was_depegged
    from alarmed
  ) a
),
edged as (
  select
    *,
    case
      when carried_level is not null then null
      when (level > 0 or is_doubted) and not coalesce(previous_level > 0 or previous_doubt, false) then 'start'
      when level = 2 and previous_level < 2 then 'agree'
      when level = 0 and not is_doubted and (previous_level > 0 or previous_doubt) then 'end'
    end as edge
  from (
    select *, lag(level) over in_order as previous_level, lag(is_doubted) over in_order as previous_doubt
    from levelled
    window in_order as (partition by chain, symbol, quote, asset_id order by step)
  ) l
),
stated as (
  select
    chain, symbol, quote, asset_id, observed_at, place, zone, worst_zone, sources, live_set, covers_to, run_started_at, run_length,
    worst_run_started_at, worst_run_length, level, is_doubted, edge,
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
    case when t.midnight > s.observed_at then 0 else s.place end as place, s.zone, s.worst_zone, s.sources, s.live_set, s.covers_to,
    s.run_started_at, s.run_length, s.worst_run_started_at, s.worst_run_length, s.level, s.is_doubted,
    case when t.midnight <= s.observed_at then s.edge end as edge, s.since_at, t.midnight <= s.observed_at as is_observation
  from stated s
  cross join unnest(sequence(s.observed_at - s.observed_at % 86400, s.until_at, 86400)) as t(midnight)
  where case
    when t.midnight > s.observed_at then t.midnight < @end - 1 - (@end - 1) % 86400 + 86400
    else s.observed_at >= @start
  end
)
select
  chain, symbol, quote, asset_id, observed_at, place, observed_at - observed_at % 86400 as day, zone, worst_zone, sources, live_set, covers_to,
  run_started_at, run_length, worst_run_started_at, worst_run_length, level, level > 0 as is_depegged, is_doubted,
  level > 0 or is_doubted as is_open, since_at, edge, is_observation
from opened
