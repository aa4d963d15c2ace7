-- The registry entry of one vault over one period: valid_from is included, valid_to is not. The last period has no end.
-- kind: full   grain: chain, vault_address, valid_from
select
  chain, vault_address, protocol, name, symbol, asset_address, asset_symbol, curator_address, version, is_listed,
  observed_at as valid_from,
  lead(observed_at, 1, 253402300799) over (partition by chain, vault_address order by observed_at) as valid_to
from obs.lending_vault
where observed_at < @end
