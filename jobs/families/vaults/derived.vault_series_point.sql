-- A point of the history of one vault: its figures at one state, and the bad debt that it bore then.
-- kind: view   grain: chain, vault_address, observed_at
select
  p.chain, p.vault_address, p.observed_at, p.day, p.share_price, p.backed_share_price, p.withdrawable_usd, p.withdrawable_shared_usd,
  p.total_assets, p.total_assets_usd, p.coverage, p.supply, l.low_usd as unrealised_bad_debt_low_usd, l.high_usd as unrealised_bad_debt_high_usd
from derived.vault_point p
left join derived.vault_loss l on l.chain = p.chain and l.vault_address = p.vault_address and l.observed_at = p.observed_at
