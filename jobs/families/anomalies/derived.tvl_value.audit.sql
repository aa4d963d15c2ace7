-- Contradictory statements about a value locked since yesterday, with the values of the last ones.
-- verdict: warn
with contradiction as (
  select
    entity, lowest_usd, highest_usd, count(*) over (partition by entity) as instants,
    row_number() over (partition by entity order by observed_at desc) as place
  from derived.tvl_value
  where is_contradictory and observed_at > @now - @now % 86400 - 86400 and observed_at <= @now
),
watched as (
  select count(distinct entity) as entities
  from derived.tvl_value
  where observed_at > @now - @now % 86400 - 86400 and observed_at <= @now
)
select
  concat(
    c.entity, ': statements about the value locked contradict each other at ', cast(c.instants as varchar), ' instants, last ',
    cast(exact_decimal(c.lowest_usd, 38, 2) as varchar), ' and ', cast(exact_decimal(c.highest_usd, 38, 2) as varchar), ' USD'
  ) as reason,
  1e0 / w.entities as weight
from contradiction c
cross join watched w
where c.place = 1
order by reason
