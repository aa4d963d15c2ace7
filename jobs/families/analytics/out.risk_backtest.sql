-- The last backtest of the value at risk of one asset by one model. A history that is too short for a forecast is a named gap.
-- kind: full   grain: symbol, step_hours, level, model
with last_one as (
  select max(computed_at) as computed_at from obs.risk_backtest where as_of <= @now and computed_at <= @now
)
select
  b.symbol, b.as_of, b.step_hours, b.level, b.model, b.returns, b.trials, b.expected, b.exceedances,
  b.frequency_statistic, b.frequency_p_value, b.independence_statistic, b.independence_p_value, b.joint_statistic, b.joint_p_value,
  b.basel_zone,
  json_parse(b.exceeded) as exceeded,
  b.worst,
  json_parse(
    case
      when b.trials > 1 then '[]'
      else concat(
        '[{"gap":"history_short","have_hours":', cast(b.returns * b.step_hours as varchar),
        ',"need_hours":', cast((b.window_size + 2) * b.step_hours as varchar), ',"share":null,"subject":"', b.symbol, '"}]'
      )
    end
  ) as gaps
from obs.risk_backtest b
join last_one l on l.computed_at = b.computed_at
