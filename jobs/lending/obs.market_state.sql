-- The state of one market at one instant. Utilization is as reported, else borrowed over supplied; an empty market has none. The
-- withdrawable amount is as reported, else supplied minus borrowed; the exit depth is the amount that can be sold, else the
-- withdrawable amount. Flags: empty, debt_without_supply, utilization_above_one.
-- kind: append   grain: chain, market_id, observed_at   time: observed_at   order: day, chain, market_id, observed_at
with measured as (
  select
    chain, market_id, observed_at, block_number, supplied, borrowed, supplied_usd, borrowed_usd, exit_depth_usd, liquidated_usd,
    supply_apr_pct, borrow_apr_pct, source_id, fetched_at,
    coalesce(utilization, borrowed / nullif(supplied, 0), borrowed_usd / nullif(supplied_usd, 0)) as utilization,
    coalesce(withdrawable_usd, case when supplied_usd > borrowed_usd then supplied_usd - borrowed_usd when borrowed_usd is not null and supplied_usd is not null then 0e0 end)
      as withdrawable_usd,
    coalesce(supplied, supplied_usd) = 0 as is_empty,
    coalesce(borrowed, borrowed_usd) > 0 as is_in_debt
  from landing.market_state
)
select
  chain, market_id, observed_at, observed_at - observed_at % 86400 as day, block_number, supplied, borrowed, supplied_usd, borrowed_usd,
  utilization, withdrawable_usd, exit_depth_usd,
  coalesce(exit_depth_usd, withdrawable_usd) as depth_usd,
  liquidated_usd, supply_apr_pct, borrow_apr_pct,
  substr(concat(
    case when is_empty and is_in_debt then ',debt_without_supply' else '' end,
    case when is_empty and not coalesce(is_in_debt, false) then ',empty' else '' end,
    case when utilization > 1 then ',utilization_above_one' else '' end
  ), 2) as flags,
  source_id, fetched_at
from measured
