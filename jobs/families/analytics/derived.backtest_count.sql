-- Number of rows about one subject in the last backtest and in the one before.
-- kind: full   grain: backtest, subject
with own as (
  select 'exit_backtest' as backtest, id as subject, computed_at from obs.exit_backtest where as_of <= @now and computed_at <= @now
  union all
  select 'risk_backtest' as backtest, symbol as subject, computed_at from obs.risk_backtest where as_of <= @now and computed_at <= @now
),
night as (
  select backtest, computed_at, row_number() over (partition by backtest order by computed_at desc) as place
  from own
  group by backtest, computed_at
)
select
  o.backtest, o.subject,
  count(*) filter (where n.place = 1) as rows_now,
  count(*) filter (where n.place = 2) as rows_before
from own o
join night n on n.backtest = o.backtest and n.computed_at = o.computed_at
where n.place <= 2
group by o.backtest, o.subject
