-- The last hour was evaluated from fewer than five signals; each missing signal lowers the confidence. Value locked is missing during the
-- first week of readings, and volatility until its baseline has enough days.
-- verdict: warn
with last_hour as (
  select signals, signals_known, row_number() over (order by hour desc) as place
  from out.regime_hour
),
missing as (
  select l.signals_known, array_join(array_agg(split_part(t.word, ':', 1) order by t.word), ', ') as names
  from last_hour l
  cross join unnest(l.signals) as t(word)
  where l.place = 1 and split_part(t.word, ':', 2) = 'missing'
  group by l.signals_known
)
select
  concat(cast(signals_known as varchar), ' of 5 signals were known in the last hour, missing: ', names) as reason,
  1 - cast(signals_known as double) / 5 as weight
from missing
