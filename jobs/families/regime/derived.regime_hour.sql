-- The regime of the market as evaluated at the end of one hour, and the regime in force. The evaluated regime is the worst regime for which
-- at least half of the known weight votes for it or a worse one; a single vote for crisis rules out risk-on. Confidence is the agreeing weight as a share of the weight of all signals,
-- so a missing signal lowers it: for a stressed regime, votes for it or a worse one agree; for a calm one, votes for it or a calmer one.
-- The regime in force changes after enough consecutive hourly evaluations with enough confidence.
-- kind: window   grain: hour   time: hour   order: hour
with before as (
  select max_by(current_regime, hour) as regime
  from derived.regime_hour
  where hour < @start and current_regime is not null
),
every_signal as (
  select signal, weight from policy.regime_rule
),
evaluated_hour as (
  select distinct hour from derived.regime_signal where hour >= @start - 86400 and hour < @end
),
heard as (
  select
    h.hour, e.signal, s.vote,
    exact_decimal(e.weight, 18, 6) as weight,
    case s.vote when 3 then 'crisis' when 2 then 'risk_off' when 1 then 'neutral' when 0 then 'risk_on' else 'missing' end as word
  from evaluated_hour h
  cross join every_signal e
  left join derived.regime_signal s on s.hour = h.hour and s.signal = e.signal
),
weighed as (
  select
    hour,
    array_join(array_agg(concat(signal, ':', word) order by signal), ',') as signals,
    cast(count(vote) as bigint) as signals_known,
    sum(weight) as total_weight,
    sum(case when vote is not null then weight else 0 end) as known_weight,
    sum(case when vote = 0 then weight else 0 end) as risk_on_weight,
    sum(case when vote <= 1 then weight else 0 end) as calm_weight,
    sum(case when vote >= 2 then weight else 0 end) as stress_weight,
    sum(case when vote = 3 then weight else 0 end) as crisis_weight
  from heard
  group by hour
),
decided as (
  select
    *,
    case
      when known_weight = 0 then null
      when crisis_weight * 2 >= known_weight then 'crisis'
      when stress_weight * 2 >= known_weight then 'risk_off'
      when risk_on_weight * 2 > known_weight and crisis_weight = 0 then 'risk_on'
      else 'neutral'
    end as regime
  from weighed
),
sure as (
  select
    d.*,
    round(
      exact_double(
        case regime when 'crisis' then crisis_weight when 'risk_off' then stress_weight when 'neutral' then calm_weight else risk_on_weight end
      ) / nullif(exact_double(total_weight), 0), 6
    ) as confidence,
    lag(hour) over (order by hour) as previous_hour
  from decided d
),
eligible as (
  select
    s.*, p.confirm_evaluations, coalesce(s.confidence >= p.min_confidence, false) as is_sure,
    lag(s.regime) over (order by s.hour) as previous_evaluated,
    lag(coalesce(s.confidence >= p.min_confidence, false)) over (order by s.hour) as was_sure
  from sure s
  cross join policy.regime p
),
parted as (
  select
    *,
    sum(case when is_sure and was_sure and regime = previous_evaluated and hour - previous_hour = 3600 then 0 else 1 end) over (
      order by hour rows between unbounded preceding and current row
    ) as run
  from eligible
),
confirmed as (
  select
    *,
    is_sure and row_number() over (partition by run order by hour) >= confirm_evaluations as is_confirmed
  from parted
),
latched as (
  select
    c.*,
    coalesce(
      max_by(c.regime, case when c.is_confirmed then c.hour end) over (order by c.hour rows between unbounded preceding and current row),
      b.regime
    ) as current_regime,
    b.regime as carried_regime
  from confirmed c
  cross join before b
  where c.hour >= @start
),
moved as (
  select
    *,
    coalesce(lag(current_regime) over (order by hour), carried_regime) as previous_regime
  from latched
)
select
  hour, hour - hour % 86400 as day, regime, coalesce(confidence, 0e0) as confidence, signals, signals_known, is_confirmed,
  current_regime, previous_regime,
  previous_regime is not null and current_regime <> previous_regime as is_shift,
  case when current_regime <> previous_regime then hour - (confirm_evaluations - 1) * 3600 end as started_at
from moved
