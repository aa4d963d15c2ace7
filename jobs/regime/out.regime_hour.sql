-- The regime of the market at the end of one hour of the last seven days.
-- kind: full   grain: scope, hour
select
  'global' as scope, hour, regime, confidence, current_regime,
  split(signals, ',') as signals, signals_known
from derived.regime_hour
where hour >= @now - @now % 86400 - 518400 and hour <= @now
