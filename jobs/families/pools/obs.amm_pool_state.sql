-- The state of one pool at one instant; amounts are digits, lists are separated by commas.
-- kind: append   grain: chain, pool, observed_at   time: observed_at   order: day, chain, pool, observed_at
select
  chain, pool, nullif(trim(venue), '') as venue, observed_at, observed_at - observed_at % 86400 as day, block_number, kind, fee_pips,
  symbols_list, decimals_list, reserves_list, amplification, sqrt_price_x96, liquidity,
  source_id, fetched_at
from landing.amm_pool_state
