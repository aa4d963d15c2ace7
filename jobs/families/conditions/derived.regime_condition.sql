-- The regime of the market if it is risk-off or crisis, since its last change. The first known regime has no change before it, so its
-- shifted_at is null.
-- kind: full   grain: hour
with evaluated as (
  select
    hour, current_regime, confidence, is_shift, current_regime in ('risk_off', 'crisis') as is_stressed,
    row_number() over (order by hour desc) as recency
  from derived.regime_hour
  where hour <= @now and current_regime is not null
),
shifted as (
  select max(hour) as shifted_at from evaluated where is_shift
)
select
  e.hour, e.current_regime, e.confidence, s.shifted_at,
  r.min_confidence, r.confirm_evaluations
from evaluated e
cross join shifted s
cross join policy.regime r
where e.recency = 1 and e.is_stressed
