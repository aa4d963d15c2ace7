-- A registry entry of one vault from one instant on.
-- kind: append   grain: chain, vault_address, observed_at   time: observed_at
select
  chain, vault_address, protocol, nullif(trim(name), '') as name, nullif(trim(symbol), '') as symbol, asset_address,
  nullif(trim(asset_symbol), '') as asset_symbol, curator_address, nullif(trim(version), '') as version,
  coalesce(is_listed, true) as is_listed, observed_at, source_id, fetched_at
from landing.lending_vault
