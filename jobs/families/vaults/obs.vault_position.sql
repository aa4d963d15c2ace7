-- One position of one vault at one block. Amounts stay whole numbers in the smallest unit of the vault's asset, as text.
-- kind: append   grain: chain, vault_address, observed_at, holder_address, held   time: observed_at   order: day, chain, vault_address, observed_at, holder_address, held
select
  chain, vault_address, observed_at, observed_at - observed_at % 86400 as day, holder_address, held_kind, held, assets, shares,
  absolute_cap, relative_cap, queue_index, is_liquidity, penalty, market_supply, market_cash, max_in,
  max_out, source_id, fetched_at
from landing.vault_position
