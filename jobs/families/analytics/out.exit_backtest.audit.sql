-- Markets whose exits could not be tested, as a share of all markets; rows missing compared with the previous backtest; and a backtest
-- still missing two hours after midnight.
-- verdict: warn
with market as (
  select id, max(forecasts) as forecasts, max(as_of) as as_of from out.exit_backtest where id <> 'all' group by id
),
doubt as (
  select count(*) as markets, count(*) filter (where forecasts = 0) as untested, max(as_of) as as_of from market
)
select concat(cast(untested as varchar), ' of ', cast(markets as varchar), ' markets have a history that is too short') as reason,
  cast(untested as double) / markets as weight
from doubt where untested > 0
union all
select concat(subject, ': ', cast(rows_now as varchar), ' of ', cast(rows_before as varchar), ' rows of the backtest before') as reason,
  1e0 / count(*) over () as weight
from derived.backtest_count where backtest = 'exit_backtest' and rows_now < rows_before
union all
select 'no exit_backtest of the last midnight' as reason, 1e0 as weight
from doubt where as_of < @now - 93600
order by reason
