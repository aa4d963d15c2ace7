-- One holding of one vault at one instant.
-- kind: append   grain: node, held_node, observed_at   time: observed_at   order: day, node, observed_at, held_node
select
  node, held_node, observed_at, observed_at - observed_at % 86400 as day, held_kind,
  case when held_kind = 'asset' then upper(held) end as held_name,
  value_usd, vault_total_usd, least(part, 1e0) as share, source_id, fetched_at
from landing.vault_allocation
