-- Assets whose value at risk could not be tested, as a share of all assets; rows missing compared with the previous backtest; and a
-- backtest still missing two hours after midnight.
-- verdict: warn
with asset as (
  select symbol, max(trials) as trials, max(as_of) as as_of from out.risk_backtest group by symbol
),
doubt as (
  select count(*) as assets, count(*) filter (where trials < 2) as untested, max(as_of) as as_of from asset
)
select concat(cast(untested as varchar), ' of ', cast(assets as varchar), ' assets have a history that is too short') as reason,
  cast(untested as double) / assets as weight
from doubt where untested > 0
union all
select concat(subject, ': ', cast(rows_now as varchar), ' of ', cast(rows_before as varchar), ' rows of the backtest before') as reason,
  1e0 / count(*) over () as weight
from derived.backtest_count where backtest = 'risk_backtest' and rows_now < rows_before
union all
select 'no risk_backtest of the last midnight' as reason, 1e0 as weight
from doubt where as_of < @now - 93600
order by reason
