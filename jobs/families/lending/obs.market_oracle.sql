-- One feed behind one market from one instant on, through the contract that the market reads (an adapter, or the feed itself).
-- kind: append   grain: chain, market_id, oracle_address, backing_address, observed_at   time: observed_at   order: observed_at, chain, market_id, backing_address
select
  chain, market_id, oracle_address, backing_address, backing_address as feed_address,
  nullif(lower(trim(provider)), '') as provider, observed_at, source_id, fetched_at
from landing.market_oracle
