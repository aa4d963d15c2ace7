-- Days on which a source reports prices paid that differ from those computed from base fee and caps.
-- verdict: warn
with listed as (
  select network, day, transactions, disputed_prices, max(day) over (partition by network) as newest_day
  from derived.network_a_transaction_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
)
select
  concat(
    network, ' ', substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 10), ': ', cast(disputed_prices as varchar), ' of ',
    cast(transactions as varchar), ' transactions paid another price than base fee and caps give'
  ) as reason,
  round(cast(disputed_prices as double) / transactions / 7, 4) as weight
from listed
where day > newest_day - 604800 and disputed_prices > 0
