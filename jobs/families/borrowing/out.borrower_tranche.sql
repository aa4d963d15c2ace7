-- The debt of one market by distance to liquidation, nearest first.
-- kind: full   grain: chain, market_id
select
  concat(chain, ':', market_id) as id, chain, market_id, max(observed_at) as observed_at,
  case when min(price_basis) = max(price_basis) and count(price_basis) = count(*) then min(price_basis) end as price_basis,
  array_agg(
    cast(
      row(fall_from, fall_to, round(debt_usd, 2), round(collateral_usd, 2))
      as row(fall_from double, fall_to double, debt_usd double, collateral_usd double)
    )
    order by fall_from
  ) as tranches
from derived.borrower_tranche
group by chain, market_id
