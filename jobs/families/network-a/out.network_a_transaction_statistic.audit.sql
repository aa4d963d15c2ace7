-- Days of the week with transactions but without blocks, which have no record.
-- verdict: warn
select
  concat(
    t.network, ' ', substr(cast(cast(from_unixtime(t.day) as timestamp(0)) as varchar), 1, 10), ': ', cast(t.transactions as varchar),
    ' transactions landed without a block of their day: no record'
  ) as reason,
  round(1e0 / 7, 4) as weight
from derived.network_a_transaction_day t
left join derived.network_a_block_day b on b.network = t.network and b.day = t.day
where t.day >= @now - @now % 86400 - 518400 and t.day <= @now and b.network is null
order by t.network, t.day
