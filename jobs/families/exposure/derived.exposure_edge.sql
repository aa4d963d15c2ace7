-- One holder and one thing that it holds, by its last report that is recent enough.
-- kind: full   grain: node, held_node
select node, kind, held_node, held_kind, held_name, usd, share, observed_at, source_id
from derived.exposure_holding
where share > 0
union all
select node, kind, held_node, held_kind, held_name, usd, share, observed_at, source_id
from derived.market_holding
where share > 0
