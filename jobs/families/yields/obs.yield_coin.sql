-- The registry entry of one coin from one instant on, as delivered.
-- kind: append   grain: coin_id, observed_at   time: observed_at   order: coin_id, observed_at
select
  coin_id, symbol, name, peg_type, mechanism, is_yield_bearing, observed_at, source_id, fetched_at
from landing.yield_coin
