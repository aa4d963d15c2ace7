-- One holder and what it holds, largest share first. The share that no report accounts for is an edge to `unknown`.
-- kind: full   grain: node
with known as (
  select node, least(sum(share), 1e0) as known_share
  from derived.exposure_edge
  group by node
),
edge as (
  select
    e.node, e.held_node, e.held_kind, coalesce(h.name, e.held_name) as held_name, e.usd, e.share, e.observed_at, e.source_id
  from derived.exposure_edge e
  left join derived.exposure_holder h on h.node = e.held_node
  union all
  select
    h.node, 'unknown' as held_node, 'unknown' as held_kind, cast(null as varchar) as held_name, cast(null as double) as usd,
    1 - coalesce(k.known_share, 0e0) as share, h.known_at as observed_at, h.source_id
  from derived.exposure_holder h
  left join known k on k.node = h.node
  where coalesce(k.known_share, 0e0) < 1 - 0.000001
)
select
  h.node, h.kind, h.name,
  round(coalesce(k.known_share, 0e0), 8) as known_share,
  array_agg(
    cast(
      row(e.held_node, e.held_kind, e.held_name, round(e.usd, 2), round(e.share, 8), e.observed_at, e.source_id)
      as row("to" varchar, kind varchar, name varchar, usd double, share double, observed_at bigint, source_id varchar)
    )
    order by e.share desc, e.held_node
  ) as edges
from derived.exposure_holder h
join edge e on e.node = h.node
left join known k on k.node = h.node
group by h.node, h.kind, h.name, k.known_share
