-- A backtest of exits from one market or vault, from all markets together, or from all vaults, computed at one time.
-- kind: append   grain: id, computed_at, horizon_hours, size   time: as_of   order: as_of, computed_at, id, horizon_hours, size
select
  id, as_of, computed_at, horizon_hours, size, hours_known, forecasts, immediate, open, scored, exited, brier, climatology, blocks, p_value, bins,
  stranded, verdict, untested, untested_ids, source_id, fetched_at
from landing.exit_backtest
