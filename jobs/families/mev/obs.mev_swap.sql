-- One swap in a pool. Amounts are doubles here; landing keeps the exact digits.
-- kind: append   grain: chain, block_number, swap_index   time: observed_at   order: day, chain, block_number, swap_index
select
  chain, block_number, swap_index, observed_at, observed_at - observed_at % 86400 as day, tx_index, tx_hash, pool_id, protocol,
  sender, contract, token_in, token_out, amount_in_scaled as amount_in, amount_out_scaled as amount_out, amount_in_usd,
  amount_out_usd, source_id, fetched_at
from landing.mev_swap
