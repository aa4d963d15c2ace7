-- Markets whose exits could not be tested, as a share of all markets, and vaults likewise; rows missing compared with the previous backtest;
-- and a backtest still missing two hours after midnight.
-- verdict: warn
with subject as (
  select
    id, case when id like 'vault:%' then 'vaults' else 'markets' end as kind, max(forecasts) as forecasts, max(as_of) as as_of
  from out.exit_backtest
  where id not in ('all', 'vault:all')
  group by id
),
doubt as (
  select kind, count(*) as subjects, count(*) filter (where forecasts = 0) as untested from subject group by kind
),
newest as (
  select max(as_of) as as_of from subject
)
select
  concat(cast(untested as varchar), ' of ', cast(subjects as varchar), ' ', kind, ' have a history that is too short') as reason,
  cast(untested as double) / subjects as weight
from doubt where untested > 0
union all
select concat(subject, ': ', cast(rows_now as varchar), ' of ', cast(rows_before as varchar), ' rows of the backtest before') as reason,
  1e0 / count(*) over () as weight
from derived.backtest_count where backtest = 'exit_backtest' and rows_now < rows_before
union all
select 'no exit_backtest of the last midnight' as reason, 1e0 as weight
from newest where as_of < @now - 93600
order by reason
