-- The last backtest of exits from one market or vault, from all markets together, or from all vaults. A history that is too short for a
-- forecast is a named gap. calibration is the verdict that applies: its own or, if that is insufficient, the verdict of all of its kind.
-- kind: full   grain: id, horizon_hours, size_key
with last_one as (
  select max(computed_at) as computed_at from obs.exit_backtest where as_of <= @now and computed_at <= @now
)
select
  b.id, b.as_of, b.horizon_hours, b.size as size_key, nullif(b.size, 0) as size, b.forecasts, b.immediate, b.open, b.scored, b.exited,
  b.brier, b.climatology, b.blocks, b.p_value,
  json_parse(b.bins) as bins,
  json_parse(b.stranded) as stranded,
  b.verdict,
  case when b.verdict = 'insufficient' then coalesce(a.verdict, b.verdict) else b.verdict end as calibration,
  case when b.verdict = 'insufficient' and a.verdict is not null then a.blocks else b.blocks end as calibration_blocks,
  b.untested,
  json_parse(coalesce(b.untested_ids, '[]')) as untested_ids,
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
left join obs.exit_backtest a
  on a.id = case when b.id like 'vault:%' then 'vault:all' else 'all' end
  and a.computed_at = b.computed_at and a.horizon_hours = b.horizon_hours and a.size = b.size
