-- Holders whose holdings are unknown, or only partly known from recent reports.
-- verdict: warn   reaches: out.exposure_node
with known as (
  select node, least(sum(share), 1e0) as known_share
  from derived.exposure_edge
  group by node
),
holder as (
  select h.node, h.kind, k.known_share, 1 - coalesce(k.known_share, 0e0) as unknown_share, count(*) over () as holders
  from derived.exposure_holder h
  left join known k on k.node = h.node
)
select
  concat(node, ': ', cast(round(100 * unknown_share, 4) as varchar), ' % of its value is unknown') as reason,
  unknown_share / holders as weight
from holder
where unknown_share > 0.000001 and known_share is not null
union all
select
  concat(cast(count(*) filter (where known_share is null) as varchar), ' of ', cast(count(*) as varchar), ' ', kind,
    's: no recent report says what they hold') as reason,
  cast(count(*) filter (where known_share is null) as double) / max(holders) as weight
from holder
group by kind
having count(*) filter (where known_share is null) > 0
order by reason
