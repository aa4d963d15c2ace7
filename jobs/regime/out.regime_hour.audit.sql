-- The last hour was judged by fewer than the five signals.
-- verdict: warn
select
  concat(cast(max_by(signals_known, hour) as varchar), ' of 5 signals were known in the last hour') as reason,
  1 - cast(max_by(signals_known, hour) as double) / 5 as weight
from out.regime_hour
having max_by(signals_known, hour) < 5
