-- Markets of which exits were not tested, as a share of all of them, and a backtest that was not repeated lately.
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
select 'the last backtest is more than two days old' as reason, 1e0 as weight
from doubt where as_of < @now - 172800
order by reason
