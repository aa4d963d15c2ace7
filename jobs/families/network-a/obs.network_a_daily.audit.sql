-- Listed days known only from daily figures, which lack everything that only blocks and transactions contain.
-- verdict: warn
with known as (
  select d.network, d.day, b.network is null as is_alone, max(d.day) over (partition by d.network) as newest_day
  from obs.network_a_daily d
  left join derived.network_a_block_day b on b.network = d.network and b.day = d.day
  where d.day >= @now - @now % 86400 - 604800 and d.day <= @now
)
select
  concat(
    network, ': ', cast(count(*) as varchar),
    ' days rest on daily figures, statistics of single blocks and transactions are missing'
  ) as reason,
  round(cast(count(*) as double) / 14, 4) as weight
from known
where is_alone and day > newest_day - 604800
group by network
order by network
