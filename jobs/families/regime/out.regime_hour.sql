-- The regime of the market at the end of one hour of the last seven days.
-- kind: full   grain: scope, hour
select
  'global' as scope, hour, regime, confidence, coalesce(confidence >= p.min_confidence, false) as is_sure, current_regime,
  split(signals, ',') as signals, signals_known
from derived.regime_hour
cross join policy.regime p
where hour >= @now - @now % 86400 - 518400 and hour <= @now
