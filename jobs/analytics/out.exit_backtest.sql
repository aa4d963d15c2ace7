-- The last backtest of exits from one market, or from all of them. A history that is too short for a forecast is a named gap.
-- kind: full   grain: id, horizon_hours, size_key
with last_one as (
  select max(computed_at) as computed_at from obs.exit_backtest where as_of <= @now and computed_at <= @now
)
select
  b.id, b.as_of, b.horizon_hours, b.size as size_key, nullif(b.size, 0) as size, b.forecasts, b.immediate, b.open, b.scored, b.exited,
  b.brier, b.climatology,
  json_parse(b.bins) as bins,
  json_parse(b.stranded) as stranded,
  b.verdict,
  json_parse(
    case
      when b.forecasts > 0 then '[]'
      else concat(
        '[{"gap":"history_short","have_hours":', cast(b.hours_known as varchar), ',"need_hours":', cast(p.min_hours + 1 as varchar),
        ',"share":null,"subject":"', b.id, '"}]'
      )
    end
  ) as gaps
from obs.exit_backtest b
join last_one l on l.computed_at = b.computed_at
cross join policy.analytics p
