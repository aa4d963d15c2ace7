-- What a registry said of one coin from one instant on, in one spelling.
-- kind: append   grain: coin_id, observed_at   time: observed_at   order: coin_id, observed_at
select
  coin_id, upper(symbol) as symbol, name, peg_type, replace(nullif(trim(mechanism), ''), '-', '_') as mechanism,
  coalesce(is_yield_bearing, false) as is_yield_bearing, observed_at, source_id, fetched_at
from landing.yield_coin
