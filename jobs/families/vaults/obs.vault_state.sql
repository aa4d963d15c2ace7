-- The state of one vault at one block. Amounts stay whole numbers in the smallest unit, as text. Prices have 18 places, and one that does
-- not fit 20 digits before the point is unknown. What the totals give is used before what the source states.
-- kind: append   grain: chain, vault_address, observed_at   time: observed_at   order: day, chain, vault_address, observed_at
select
  chain, vault_address, observed_at, observed_at - observed_at % 86400 as day, block_number, kind, asset_decimals, share_decimals,
  total_assets, total_supply, fee_shares, address_one_shares, real_assets, idle_assets, undistributed_assets,
  exact_lost_assets as lost_assets,
  try_cast(case when kind = 'erc4626' then coalesce(share_price, exact_share_price) else coalesce(exact_share_price, share_price) end
    as decimal(38, 18)) as share_price,
  try_cast(coalesce(exact_backed_share_price, backed_share_price) as decimal(38, 18)) as backed_share_price,
  try_cast(coalesce(exact_coverage, coverage) as decimal(38, 18)) as coverage,
  asset_price_usd, performance_fee, management_fee, max_rate, receive_shares_gate, send_shares_gate, receive_assets_gate,
  send_assets_gate, position_count, pending_getters, source_id, fetched_at
from landing.vault_state
