-- Watched figures without a verdict now, by reason, as a share of all watched figures.
-- verdict: warn
with counted as (
  select gap, count(*) as figures, sum(count(*)) over () as watched
  from out.anomaly_watch
  group by gap
)
select
  concat(cast(figures as varchar), ' of ', cast(cast(watched as bigint) as varchar), ' figures have no verdict: ', gap) as reason,
  cast(figures as double) / cast(watched as double) as weight
from counted
where gap is not null
order by reason
