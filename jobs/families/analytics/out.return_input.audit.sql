-- Assets with weak returns, as a share of all assets: too few known hours, or no price at the last full hour.
-- verdict: warn
with doubt as (
  select
    count(*) as assets,
    count(*) filter (where is_short) as short,
    count(*) filter (where price_usd is null) as unpriced
  from out.return_input
)
select concat(cast(short as varchar), ' of ', cast(assets as varchar), ' assets have a short history') as reason,
  cast(short as double) / assets as weight
from doubt where short > 0
union all
select concat(cast(unpriced as varchar), ' of ', cast(assets as varchar), ' assets have no price now') as reason,
  cast(unpriced as double) / assets as weight
from doubt where unpriced > 0
order by reason
