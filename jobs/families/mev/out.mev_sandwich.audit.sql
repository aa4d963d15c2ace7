-- Sandwiches of the week without a price, so it is unknown whether they are large.
-- verdict: warn
select
  concat(
    chain, ': ', cast(count(*) filter (where extracted_usd is null) as varchar), ' of ', cast(count(*) as varchar),
    ' sandwiches have no price, so it is not known whether they are large'
  ) as reason,
  round(cast(count(*) filter (where extracted_usd is null) as double) / count(*), 4) as weight
from out.mev_sandwich
group by chain
having count(*) filter (where extracted_usd is null) > 0
