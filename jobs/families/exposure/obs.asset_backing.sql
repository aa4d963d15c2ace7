-- One part of what backs an asset at one instant.
-- kind: append   grain: node, held_node, observed_at   time: observed_at   order: day, node, observed_at, held_node
select
  node, upper(symbol) as symbol, held_node, observed_at, observed_at - observed_at % 86400 as day, held_kind,
  case
    when held_kind = 'asset' then upper(held)
    when held_kind in ('issuer', 'venue') then coalesce(nullif(trim(held_name), ''), held)
  end as held_name,
  value_usd, part, least(part, 1e0) as share, source_id, fetched_at
from landing.asset_backing
