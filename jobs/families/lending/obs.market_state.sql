-- The state of one market at one instant. Statements that bound each other are compared, and a reported one that contradicts the amounts
-- gives way to them: the withdrawable amount is at most what is not lent, and the utilization is borrowed over supplied unless the
-- reported one agrees within 0.005, which rounding explains; without amounts, one above 2 is a percentage or an error and counts as unknown.
-- What was reported stays in the reported_ columns. An exit withdraws and then sells, so the depth is the smaller of both amounts.
-- The flags are facts (empty, debt_without_supply, utilization_above_one) and contradictions, which set is_contradictory: see
-- docs/definitions.md.
-- kind: append   grain: chain, market_id, observed_at   time: observed_at   order: day, chain, market_id, observed_at
with measured as (
  select
    *,
    borrowed / nullif(supplied, 0) as unit_share,
    borrowed_usd / nullif(supplied_usd, 0) as usd_share,
    coalesce(borrowed / nullif(supplied, 0), borrowed_usd / nullif(supplied_usd, 0)) as lent_share,
    coalesce(coalesce(supplied, supplied_usd) = 0, false) as is_empty,
    coalesce(coalesce(borrowed, borrowed_usd) > 0, false) as is_in_debt
  from landing.market_state
),
used as (
  select
    *,
    coalesce(
      case
        when lent_share is not null then abs(utilization - lent_share) > 0.005
        when is_empty then utilization > 0
        else utilization > 2
      end,
      false
    ) as is_utilization_refuted
  from measured
),
lent as (
  select *, case when is_utilization_refuted or utilization is null then lent_share else utilization end as utilization_used
  from used
),
free as (
  select
    *,
    case
      when supplied_usd is null then null
      when borrowed_usd is not null then case when supplied_usd > borrowed_usd then supplied_usd - borrowed_usd else 0e0 end
      when utilization_used is not null then case when utilization_used < 1 then supplied_usd * (1 - utilization_used) else 0e0 end
    end as free_usd
  from lent
),
bounded as (
  select
    *,
    -- A cent and a millionth of the supply are rounding.
    coalesce(withdrawable_usd > coalesce(free_usd, supplied_usd) + 0.01 + 1e-6 * supplied_usd, false) as is_more_than_free,
    case
      when withdrawable_usd > coalesce(free_usd, supplied_usd) then coalesce(free_usd, supplied_usd)
      else coalesce(withdrawable_usd, free_usd)
    end as usable_usd,
    coalesce(abs(unit_share - usd_share) > 0.005, false) or coalesce(supplied = 0 and supplied_usd > 0.01, false)
      or coalesce(borrowed = 0 and borrowed_usd > 0.01, false) as is_usd_refuted,
    coalesce(supply_apr_pct > borrow_apr_pct + 0.01, false) as is_rate_refuted,
    coalesce(supply_apr_pct < 0, false) or coalesce(borrow_apr_pct < 0, false) as is_rate_negative
  from free
)
select
  chain, market_id, observed_at, observed_at - observed_at % 86400 as day, block_number, supplied, borrowed, supplied_usd, borrowed_usd,
  utilization_used as utilization, utilization as reported_utilization,
  usable_usd as withdrawable_usd, withdrawable_usd as reported_withdrawable_usd,
  exit_depth_usd,
  case when usable_usd < exit_depth_usd then usable_usd else coalesce(exit_depth_usd, usable_usd) end as depth_usd,
  liquidated_usd, supply_apr_pct, borrow_apr_pct,
  substr(concat(
    case when is_usd_refuted then ',amounts_contradict_usd' else '' end,
    case when is_empty and is_in_debt then ',debt_without_supply' else '' end,
    case when is_empty and not is_in_debt then ',empty' else '' end,
    case when is_more_than_free then ',more_than_free' else '' end,
    case when is_rate_negative then ',negative_rate' else '' end,
    case when is_rate_refuted then ',supply_rate_above_borrow_rate' else '' end,
    case when utilization_used > 1 then ',utilization_above_one' else '' end,
    case when is_utilization_refuted then ',utilization_contradicts_amounts' else '' end
  ), 2) as flags,
  is_usd_refuted or is_more_than_free or is_rate_negative or is_rate_refuted or is_utilization_refuted or is_empty and is_in_debt
    as is_contradictory,
  source_id, fetched_at
from bounded
