-- A backtest of the value at risk of one asset by one model, computed at one time.
-- kind: append   grain: symbol, computed_at, step_hours, level, model   time: as_of   order: as_of, computed_at, symbol, step_hours, level, model
select
  symbol, as_of, computed_at, step_hours, level, model, returns, window_size, trials, expected, exceedances,
  frequency_statistic, frequency_p_value, independence_statistic, independence_p_value, joint_statistic, joint_p_value,
  basel_zone, exceeded, worst, source_id, fetched_at
from landing.risk_backtest
