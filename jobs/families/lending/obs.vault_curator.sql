-- A registry entry of one curator from one instant on; `addresses` is one text with all full addresses.
-- kind: append   grain: curator, observed_at   time: observed_at
select
  curator, trim(name) as name, coalesce(is_verified, false) as is_verified, coalesce(addresses, '') as addresses,
  observed_at, source_id, fetched_at
from landing.vault_curator
