-- Every known holder: vaults and markets by their registry or a report, assets by any report of their backing, however old.
-- known_at is the time of its last report or, without one, of its registration.
-- kind: full   grain: node
with registered as (
  select
    concat('vault:', v.chain, ':', v.vault_address) as node, 'vault' as kind, v.name, v.valid_from as known_at, o.source_id
  from derived.lending_vault v
  join obs.lending_vault o on o.chain = v.chain and o.vault_address = v.vault_address and o.observed_at = v.valid_from
  where v.valid_from <= @now and v.valid_to > @now
  union all
  select
    concat('market:', m.chain, ':', m.market_id) as node, 'market' as kind, m.name, m.valid_from as known_at, o.source_id
  from derived.lending_market m
  join obs.lending_market o on o.chain = m.chain and o.market_id = m.market_id and o.observed_at = m.valid_from
  where m.valid_from <= @now and m.valid_to > @now
),
reported as (
  select node, kind, cast(null as varchar) as name, observed_at as known_at, source_id
  from derived.exposure_edge
  union all
  select node, 'asset' as kind, symbol as name, observed_at as known_at, source_id
  from obs.asset_backing
  where observed_at <= @now
  union all
  select node, kind, name, known_at, source_id
  from registered
),
ranked as (
  select
    node, kind, max(name) over (partition by node) as name, known_at, source_id,
    row_number() over (partition by node order by known_at desc, source_id) as place
  from reported
)
select node, kind, name, known_at, source_id
from ranked
where place = 1
