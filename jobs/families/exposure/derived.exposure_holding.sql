-- What a vault holds or what backs an asset, by its last report. Reports that are too old are ignored.
-- kind: full   grain: node, held_node
with vault as (
  select a.*, max(a.observed_at) over (partition by a.node) as newest_at
  from obs.vault_allocation a
  cross join policy.exposure p
  where a.observed_at <= @now and a.observed_at > @now - p.allocation_max_age_s
),
asset as (
  select b.*, max(b.observed_at) over (partition by b.node) as newest_at
  from obs.asset_backing b
  cross join policy.exposure p
  where b.observed_at <= @now and b.observed_at > @now - p.backing_max_age_s
)
select node, 'vault' as kind, held_node, held_kind, held_name, value_usd as usd, share, observed_at, source_id
from vault
where observed_at = newest_at
union all
select node, 'asset' as kind, held_node, held_kind, held_name, value_usd as usd, share, observed_at, source_id
from asset
where observed_at = newest_at
