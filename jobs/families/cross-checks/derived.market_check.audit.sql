-- Figures of markets for which another source reports a different value, as a share of the figures compared.
-- verdict: warn   reaches: out.lending_market
with judged as (
  select
    source, metric, count(*) as compared,
    count(*) filter (where is_apart) as apart,
    min(case when is_apart then concat(chain, ' ', subject) end) as example
  from derived.market_check
  group by source, metric
)
select
  concat(
    source, ' disagrees about ', metric, ' of ', cast(apart as varchar), ' of ', cast(compared as varchar), ' markets, such as ', example
  ) as reason,
  cast(apart as double) / compared as weight
from judged
where apart > 0
order by reason
