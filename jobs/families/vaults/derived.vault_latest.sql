-- The newest state of one vault, however old.
-- kind: full   grain: chain, vault_address
select p.*
from derived.vault_day d
join derived.vault_point p
  on p.chain = d.chain and p.vault_address = d.vault_address and p.observed_at = d.last_at
where d.day = @now - @now % 86400
