-- Assets of which value at risk was not tested, as a share of all of them, and a backtest that was not repeated lately.
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
select 'the last backtest is more than two days old' as reason, 1e0 as weight
from doubt where as_of < @now - 172800
order by reason
