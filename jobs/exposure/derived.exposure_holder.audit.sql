-- Vaults and assets of which no recent report says what they hold: all of it is unknown.
-- verdict: warn   reaches: out.exposure_node
with holder as (
  select h.kind, e.node is null as is_unknown
  from derived.exposure_holder h
  left join (select distinct node from derived.exposure_edge) e on e.node = h.node
),
counted as (
  select kind, count(*) as holders, count(*) filter (where is_unknown) as unknown, sum(count(*)) over () as total
  from holder
  group by kind
)
select
  concat(cast(unknown as varchar), ' of ', cast(holders as varchar), ' ', kind, 's: no recent report says what they hold') as reason,
  cast(unknown as double) / total as weight
from counted
where unknown > 0
order by reason
