-- Tranches of a market are missing or do not add up to its debt, or its debt is unknown.
-- verdict: warn   reaches: out.borrower_tranche
with market as (
  select
    c.chain, c.market_id, c.tranches, c.tranches_expected, c.tranches_usd, c.market_usd,
    count(*) over () as markets,
    c.market_usd is null as is_unknown,
    abs(c.tranches_usd - c.market_usd) / greatest(c.tranches_usd, c.market_usd, 1e0) as difference,
    p.debt_tolerance
  from derived.borrower_coverage c
  cross join policy.borrowing p
)
select
  concat(
    chain, ' ', market_id, ': the tranches hold ', cast(cast(round(tranches_usd) as bigint) as varchar), ' USD of debt, the market ',
    cast(cast(round(market_usd) as bigint) as varchar)
  ) as reason,
  difference / markets as weight
from market
where not is_unknown and difference > debt_tolerance
union all
select
  concat(
    chain, ' ', market_id, ': the report has ', cast(tranches_expected as varchar), ' tranches, ', cast(tranches as varchar), ' landed'
  ) as reason,
  least(1e0, abs(cast(tranches_expected - tranches as double)) / tranches_expected) / markets as weight
from market
where tranches <> tranches_expected
union all
select
  concat(cast(count(*) as varchar), ' of ', cast(max(markets) as varchar), ' markets report no debt to compare the tranches with') as reason,
  0e0 as weight
from market
where is_unknown
having count(*) > 0
order by reason
