-- The figures of one network for one UTC day from daily statistics, for days without landed blocks.
-- kind: append   grain: network, day   time: known_at   order: day, network
select
  network, day, known_at, blocks, transactions, contracts, block_time_s, last_block, gas_used, burnt_native, fees_native,
  source_id, fetched_at
from landing.network_a_daily
