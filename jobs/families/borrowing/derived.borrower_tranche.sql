-- The last reported tranches of one market, unless the report is too old. reached: largest fall_to of the preceding tranches.
-- kind: full   grain: chain, market_id, fall_from
with recent as (
  select t.*, max(t.observed_at) over (partition by t.chain, t.market_id) as newest_at
  from obs.borrower_tranche t
  cross join policy.borrowing p
  where t.observed_at <= @now and t.observed_at > @now - p.tranche_max_age_s
)
select
  chain, market_id, observed_at, fall_from, fall_to, debt_usd, collateral_usd, price_basis, tranche_count,
  max(fall_to) over (
    partition by chain, market_id order by fall_from rows between unbounded preceding and 1 preceding
  ) as reached
from recent
where observed_at = newest_at
